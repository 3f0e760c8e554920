package escape_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A 32-bit ELF for i386 that asks for nothing but its end is killed by its first call.
func foreignProgram(t *testing.T, l level) {
	s := stage(t)
	name := filepath.Join(s.dir, "read/i386")
	if err := os.WriteFile(name, i386(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(name).Run(); err != nil {
		t.Logf("no control: this machine runs no i386 program: %v; the filter's tests stand for it", err)
	}
	got := alone(t, s, l, "spawn "+name)
	if !strings.Contains(got, "bad system call") && !strings.Contains(got, "exec format error") {
		t.Errorf("inside: %q", got)
	}
}

// i386 is exit(0) by int 0x80.
func i386() []byte {
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80}
	const base, head = 0x8048000, 52 + 32
	le := binary.LittleEndian
	b := []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b = le.AppendUint16(le.AppendUint16(b, 2), 3) // ET_EXEC, EM_386
	for _, v := range []uint32{1, base + head, 52, 0, 0} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range []uint16{52, 32, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	size := uint32(head + len(code))
	for _, v := range []uint32{1, 0, base, base, size, size, 5, 0x1000} {
		b = le.AppendUint32(b, v)
	}
	return append(b, code...)
}
