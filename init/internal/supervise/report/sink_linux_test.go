package report

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// long is a first line that no socket holds at once.
func long() *order.Enforced {
	return &order.Enforced{Event: "enforced", Protected: strings.Split(strings.Repeat("/a/path/of/some/length/.git ", 40000), " ")}
}

// takers are descriptors of each kind that a report can go to, each with the end that it is read from.
func takers(t *testing.T) map[string][2]int {
	t.Helper()
	all := map[string][2]int{}
	for name, kind := range map[string]int{"stream": unix.SOCK_STREAM, "messages": unix.SOCK_SEQPACKET} {
		for flags, how := range map[int]string{0: "", unix.SOCK_NONBLOCK: ", that does not block"} {
			pair, err := unix.Socketpair(unix.AF_UNIX, kind|flags|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			all[name+how] = pair
		}
	}
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	all["pipe"] = pipe
	for _, ends := range all {
		t.Cleanup(func() { unix.Close(ends[0]); unix.Close(ends[1]) })
	}
	return all
}

// A first line of any length arrives where somebody reads, in pieces that each reader has room for.
func TestLongFirstLine(t *testing.T) {
	for name, ends := range takers(t) {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			first := long()
			first.Stamp(time.Now(), "0f") // what First writes has the same length
			want := first.AppendJSON(nil)
			go func() {
				s := Sink{Report: -1, Host: ends[1], ID: "0f"}
				done <- s.First(first)
			}()
			var got []byte
			for buf := make([]byte, 64<<10); len(got) < len(want); {
				unix.Poll([]unix.PollFd{{Fd: int32(ends[0]), Events: unix.POLLIN}}, -1)
				n, err := unix.Read(ends[0], buf)
				if err == unix.EINTR || err == unix.EAGAIN {
					continue
				}
				if n <= 0 || err != nil {
					t.Fatal(n, err)
				}
				got = append(got, buf[:n]...)
			}
			err := <-done
			if want = first.AppendJSON(nil); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, %d bytes of %d", err, len(got), len(want))
			}
		})
	}
}

// Where nobody reads, the launch is refused after the time that it has.
func TestUnreadFirstLine(t *testing.T) {
	all := takers(t)
	type end struct {
		name string
		err  error
		took time.Duration
	}
	ends := make(chan end, len(all))
	for name, pair := range all {
		go func() {
			s, began := Sink{Report: pair[1], Host: -1}, time.Now()
			err := s.First(long())
			ends <- end{name, err, time.Since(began)}
		}()
	}
	for range all {
		if e := testbed.Receive(t, "the end of each write", ends); e.err == nil || e.took < firstLine {
			t.Errorf("%s: %v after %s", e.name, e.err, e.took)
		}
	}
}

// What takes nothing and says so for ever is an error.
func TestTakesNothing(t *testing.T) {
	f, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	done := make(chan error, 1)
	go func() {
		s := Sink{Report: int(f.Fd()), Host: -1}
		done <- s.First(long())
	}()
	if testbed.Receive(t, "the end of the tries", done) == nil {
		t.Error("written")
	}
}
