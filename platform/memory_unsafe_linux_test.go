package platform

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is read by the call, and where that is refused by the file; not a byte more than was asked for.
func TestReadMemory(t *testing.T) {
	text := []byte("some text")
	address := uint64(uintptr(unsafe.Pointer(&text[0])))
	refused := func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error) { return 0, unix.EPERM }
	for name, call := range map[string]vmCall{"by the call": unix.ProcessVMReadv, "by the file": refused} {
		got := make([]byte, 4)
		if err := readMemory(os.Getpid(), address+5, got, call); err != nil || string(got) != "text" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, wrong := range []uint64{0, 1<<63 + 1, 1 << 46} {
			if err := readMemory(os.Getpid(), wrong, got, call); err != unix.EFAULT {
				t.Errorf("%s: at %#x: %v", name, wrong, err)
			}
		}
		if err := readMemory(os.Getpid(), address, nil, call); err != nil {
			t.Errorf("%s: nothing: %v", name, err)
		}
	}
	if err := ReadMemory(1<<22+1, address, text); err != unix.ESRCH {
		t.Errorf("of no process: %v", err)
	}
}
