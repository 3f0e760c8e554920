package main

import (
	"bytes"
	"debug/pe"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The DLL is one as the standard library reads it, and its export table names what Go looks for.
func TestForwarder(t *testing.T) {
	b := forwarder("x.dll", "Fn", "other.Fn2")
	f, err := pe.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.Section(".edata").Data()
	if err != nil || !bytes.Contains(data, []byte("x.dll\x00Fn\x00other.Fn2\x00")) {
		t.Errorf("%q, %v", data, err)
	}
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || h.DataDirectory[0].VirtualAddress != section || h.SizeOfImage != 2*section || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		t.Errorf("%+v", f.OptionalHeader)
	}
}

func TestOverlay(t *testing.T) {
	root, folder := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "src", "internal", "syscall", "windows")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "at_windows.go")
	if err := os.WriteFile(source, []byte("case STATUS_INVALID, STATUS_NOT_SUPPORTED: x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := overlay(folder, root); err != nil {
		t.Fatal(err)
	}
	var list struct{ Replace map[string]string }
	text, err := os.ReadFile(filepath.Join(folder, "overlay.json"))
	if err != nil || json.Unmarshal(text, &list) != nil {
		t.Fatal(string(text), err)
	}
	got, err := os.ReadFile(list.Replace[source])
	if err != nil || string(got) != "case STATUS_INVALID, STATUS_NOT_SUPPORTED, NTStatus(0xC0000002): x" {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(source, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if overlay(folder, root) == nil {
		t.Error("no error for a file that has changed")
	}
}
