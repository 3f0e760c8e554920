package seccomp

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// foreignELF is a program that asks i386's getpid by int 0x80, and exits with 0.
func foreignELF() []byte {
	code := []byte{
		0xb8, 20, 0, 0, 0, // mov eax, __NR_getpid of i386
		0xcd, 0x80, // int 0x80
		0xb8, 60, 0, 0, 0, // mov eax, __NR_exit
		0x31, 0xff, // xor edi, edi
		0x0f, 0x05, // syscall
	}
	const base, head = 0x400000, 64 + 56
	le := binary.LittleEndian
	b := []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	b = le.AppendUint16(b, 2)  // ET_EXEC
	b = le.AppendUint16(b, 62) // EM_X86_64
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, base+head) // entry
	b = le.AppendUint64(b, 64)        // program headers
	b = le.AppendUint64(b, 0)
	b = le.AppendUint32(b, 0)
	for _, v := range []uint16{64, 56, 1, 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, 1) // PT_LOAD
	b = le.AppendUint32(b, 5) // readable, executable
	for _, v := range []uint64{0, base, base, head + uint64(len(code)), head + uint64(len(code)), 0x1000} {
		b = le.AppendUint64(b, v)
	}
	return append(b, code...)
}

// TestForeign: a 64-bit program's 32-bit call ends it, where the kernel knows such calls at all.
func TestForeign(t *testing.T) {
	name := t.TempDir() + "/foreign"
	if err := os.WriteFile(name, foreignELF(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(name).Run(); err != nil {
		t.Skipf("this kernel runs no i386 calls, with no filter: %v", err)
	}
	err := child(t, "exec", name).Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("with the filter: %v, want SIGSYS", err)
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGSYS {
		t.Errorf("with the filter: %v, want SIGSYS", exit)
	}
}
