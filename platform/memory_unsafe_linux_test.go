package platform

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is read and written by the call, and where that is refused by the file; not a byte more than was asked for.
func TestMemory(t *testing.T) {
	text := []byte("some text")
	address := uint64(uintptr(unsafe.Pointer(&text[0])))
	refused := func(int, []unix.Iovec, []unix.RemoteIovec, uint) (int, error) { return 0, unix.EPERM }
	for name, c := range map[string]struct {
		read, write vmCall
	}{"by the call": {unix.ProcessVMReadv, unix.ProcessVMWritev}, "by the file": {refused, refused}} {
		got := make([]byte, 4)
		err := moveMemory(os.Getpid(), address+5, got, c.read, os.O_RDONLY, (*os.File).ReadAt)
		if err != nil || string(got) != "text" {
			t.Errorf("%s: read %q, %v", name, got, err)
		}
		word := strings.ToUpper(name[3:6])
		err = moveMemory(os.Getpid(), address, []byte(word), c.write, os.O_WRONLY, (*os.File).WriteAt)
		if err != nil || string(text) != word+"e text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		for _, wrong := range []uint64{0, 1<<63 + 1, 1 << 46} {
			if err := moveMemory(os.Getpid(), wrong, got, c.read, os.O_RDONLY, (*os.File).ReadAt); err != unix.EFAULT {
				t.Errorf("%s: at %#x: %v", name, wrong, err)
			}
		}
		if err := moveMemory(os.Getpid(), address, nil, c.read, os.O_RDONLY, (*os.File).ReadAt); err != nil {
			t.Errorf("%s: nothing: %v", name, err)
		}
	}
	if err := ReadMemory(1<<22+1, address, text); err != unix.ESRCH {
		t.Errorf("of no process: %v", err)
	}
}
