package platform

import (
	"errors"
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

// Memory is written once it is held and is still that of the caller.
func TestWriteMemory(t *testing.T) {
	text := []byte("some text")
	address := uint64(uintptr(unsafe.Pointer(&text[0])))
	still, gone := func() bool { return true }, func() bool { return false }
	for _, c := range []struct {
		name   string
		thread int
		at     uint64
		still  func() bool
		want   error
		text   string
	}{
		{"of a caller that is gone", os.Getpid(), address, gone, unix.ESRCH, "some text"},
		{"of no process", 1<<22 + 1, address, still, unix.ENOENT, "some text"},
		{"where nothing is", os.Getpid(), 1 << 46, still, unix.EFAULT, "some text"},
		{"of a caller", os.Getpid(), address, still, nil, "SOME text"},
	} {
		if err := WriteMemory(c.thread, c.at, []byte("SOME"), c.still); !errors.Is(err, c.want) || string(text) != c.text {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
	}
	if err := WriteMemory(os.Getpid(), address, nil, gone); err != nil {
		t.Errorf("nothing: %v", err)
	}
}
