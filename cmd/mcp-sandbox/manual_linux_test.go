package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// mandoc has nothing to say against any page.
func TestManualsAreClean(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		testbed.Missing(t, "mandoc", "no mandoc on this machine: the manual pages are not looked at")
	}
	all, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"-T", "lint"}
	for _, p := range all {
		file := filepath.Join(dir, p.File())
		if err := os.WriteFile(file, []byte(p.Roff(manual.Build{Version: "v1", Date: "2026-11-24"})), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.Command(mandoc, args...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	bad := filepath.Join(dir, "bad.1")
	if err := os.WriteFile(bad, []byte(".SH NAME\n.PP\n.nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(mandoc, append(slices.Clone(args[:2]), bad)...).CombinedOutput(); err == nil || len(out) == 0 {
		t.Errorf("a page with mistakes passes: %s", out)
	}
}
