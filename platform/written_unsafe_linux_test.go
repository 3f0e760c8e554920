package platform_test

import (
	"errors"
	"os"
	"testing"
	"unsafe"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Memory is written once it is held and is still that of the caller, with a read-only /proc too.
func TestWriteMemory(t *testing.T) {
	writeMemory(t)
	if !testbed.OwnMounts(t) {
		return
	}
	err := unix.Mount("/proc", "/proc", "", unix.MS_BIND|unix.MS_REC, "")
	if err == nil {
		err = unix.Mount("", "/proc", "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0); !errors.Is(err, unix.EROFS) {
		t.Fatalf("control: %v", err)
	}
	writeMemory(t)
}

func writeMemory(t *testing.T) {
	t.Helper()
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
		if err := platform.WriteMemory(c.thread, c.at, []byte("SOME"), c.still); !errors.Is(err, c.want) || string(text) != c.text {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
	}
	if err := platform.WriteMemory(os.Getpid(), address, nil, gone); err != nil {
		t.Errorf("nothing: %v", err)
	}
}
