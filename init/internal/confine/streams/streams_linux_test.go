package streams

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What is no pipe, socket, terminal, file or /dev/null is refused.
func TestUsable(t *testing.T) {
	for path, wants := range map[string]bool{"/dev/null": true, "/dev/zero": false, "/": false, "/proc/self/exe": true} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := usable(int(f.Fd()), false); (err == nil) != wants {
			t.Errorf("%s: %v", path, err)
		}
		f.Close()
	}
	fd, err := unix.Open("/dev/null", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := usable(fd, true); err == nil {
		t.Error("an O_PATH descriptor is usable")
	}
	unix.Close(fd)
	if _, err := usable(fd, true); err == nil {
		t.Error("a closed descriptor is usable")
	}
	for kind, wants := range map[int]bool{unix.SOCK_STREAM: true, unix.SOCK_SEQPACKET: true, unix.SOCK_DGRAM: false} {
		p, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := usable(p[0], false); (err == nil) != wants {
			t.Errorf("a socketpair of type %d: %v", kind, err)
		}
		unix.Close(p[0])
		unix.Close(p[1])
	}
}
