package report

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A line between the first and the last is written whole or not at all, and never waited for.
func TestLaterLines(t *testing.T) {
	var pipe, pair [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	line := &order.Denied{Event: "denied", Act: order.Act{Syscall: "ptrace"}, PID: 2, Errno: "EPERM", Layer: order.Seccomp}
	for name, ends := range map[string][2]int{"pipe": pipe, "socket": {pair[0], pair[1]}} {
		s := Sink{Report: ends[1], Host: -1}
		began := time.Now()
		for s.Dropped < 10 {
			s.Later(line) // nobody reads
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: %s until it was full", name, took)
		}
		text := ""
		for b := make([]byte, 1<<20); ; {
			fds := []unix.PollFd{{Fd: int32(ends[0]), Events: unix.POLLIN}}
			if n, _ := unix.Poll(fds, 0); n != 1 {
				break
			}
			n, err := unix.Read(ends[0], b)
			if err != nil {
				t.Fatal(err)
			}
			text += string(b[:n])
		}
		want := string(line.AppendJSON(nil)) // of the last; the others have the same length
		if n := strings.Count(text, `{"event":"denied","time":"20`); n < 10 || len(text) != n*len(want) {
			t.Errorf("%s: %d bytes, %d whole lines of %d", name, len(text), n, len(want))
		}
		if s.Later(line); s.Dropped != 10 {
			t.Errorf("%s: no room after it was read", name)
		}
		unix.Close(ends[0])
		if s.Later(line); s.Dropped != 11 {
			t.Errorf("%s: written where nobody is", name)
		}
		unix.Close(ends[1])
	}
	none := Sink{Report: -1, Host: -1}
	if none.Later(line); none.Dropped != 0 {
		t.Error("a line was dropped that nobody asked for")
	}
}
