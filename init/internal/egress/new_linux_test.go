package egress

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"golang.org/x/sys/unix"
)

// openFiles is how many descriptors this process has.
func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// An engine that cannot be made closes the sockets that it was given, and all that it has opened: a launch of less
// confinement follows, in the same process.
func TestNewThatFailsClosesAll(t *testing.T) {
	for _, c := range []struct {
		name  string
		kinds []layers.EgressKind // each a socket, the last one a file, which epoll(7) and getsockopt(2) refuse
		files bool                // no further descriptor can be had
	}{
		{"a listener that cannot be waited for", []layers.EgressKind{layers.DNSTCP, layers.Listener}, false},
		{"a tap that is no socket", []layers.EgressKind{layers.Listener, layers.TapTCP4}, false},
		{"taps alone, and one that is no socket", []layers.EgressKind{layers.TapICMP4, layers.TapICMP6}, false},
		{"no descriptor for epoll", []layers.EgressKind{layers.Listener}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var old unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
				t.Fatal(err)
			}
			before := openFiles(t)
			var sockets []layers.Carried
			for i, kind := range c.kinds {
				fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
				if i == len(c.kinds)-1 {
					unix.Close(fd)
					fd, err = unix.Open("/etc/passwd", unix.O_RDONLY|unix.O_CLOEXEC, 0)
				}
				if err != nil {
					t.Fatal(err)
				}
				sockets = append(sockets, layers.Carried{EgressSocket: layers.EgressSocket{Kind: kind}, FD: fd})
			}
			if c.files {
				unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max})
			}
			e, err := New(Config{Sockets: sockets, Network: onlyAPI(), Tally: &tally.Tally{}})
			unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
			if err == nil {
				e.Close()
				t.Fatal("an engine was made")
			}
			for _, s := range sockets {
				if _, open := unix.FcntlInt(uintptr(s.FD), unix.F_GETFD, 0); open == nil {
					t.Errorf("the socket of kind %d is open", s.Kind)
				}
			}
			if after := openFiles(t); after != before {
				t.Errorf("%d descriptors are open, before there were %d", after, before)
			}
		})
	}
}
