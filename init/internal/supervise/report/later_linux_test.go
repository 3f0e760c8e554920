package report

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
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
		kept := len(s.kept.lines)
		if s.Retry(); s.Dropped != 10 || len(s.kept.lines) == kept {
			t.Errorf("%s: no room after it was read: %d dropped, %d kept", name, s.Dropped, kept)
		}
		s.kept = backlog{}
		unix.Close(ends[0])
		if s.Later(line); s.Dropped != 11 || s.kept.bytes != 0 {
			t.Errorf("%s: written where nobody is", name)
		}
		unix.Close(ends[1])
	}
	none := Sink{Report: -1, Host: -1}
	if none.Later(line); none.Dropped != 0 {
		t.Error("a line was dropped that nobody asked for")
	}
}

// The last line has room behind those of a server that is refused 1,024 names as long as names can be, though nobody reads
// before its end.
func TestRoomForLastLine(t *testing.T) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	testbed.Await(t, "room for 64 kB in a pipe, fs.pipe-user-pages-soft", func() bool {
		size, err := unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, 64<<10)
		return err == nil && size == 64<<10
	})
	s := Sink{Report: pipe[1], Host: -1}
	counted := tally.Tally{Report: func(d *order.Denied) { s.Later(d) }}
	for i := range 1024 {
		name := strings.Repeat("a", 249) + strconv.Itoa(1000+i)
		counted.Refuse(&order.Denied{Event: "denied", Layer: order.Network, Flag: "--allow-domain " + name,
			Act: order.Act{Kind: order.DeniedName, Host: name}}, time.Unix(int64(1e9+i), 0))
	}
	s.Settle()
	x := order.Exited{Event: "exited", Denied: counted.List()}
	s.Last(&x)
	b := make([]byte, 1<<20)
	text := ""
	for !strings.HasSuffix(text, "}\n") || !strings.Contains(text, `"exited"`) {
		fds := []unix.PollFd{{Fd: int32(pipe[0]), Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 0); n != 1 {
			t.Fatalf("%d bytes, and no whole last line: %q", len(text), text[max(0, len(text)-80):])
		}
		n, err := unix.Read(pipe[0], b)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b[:n])
	}
	if s.Dropped == 0 || len(x.Denied) < 10 {
		t.Errorf("%d lines dropped, %d names", s.Dropped, len(x.Denied))
	}
}

// smallPipe is a pipe of a user who has more than pipe-user-pages-soft allows (pipe(7)), with a first line inside.
func smallPipe(t *testing.T, s *Sink) (reader int) {
	t.Helper()
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pipe[0]); unix.Close(pipe[1]) })
	if size, err := unix.FcntlInt(uintptr(pipe[1]), unix.F_SETPIPE_SZ, 2*4096); err != nil || size != 2*4096 {
		t.Fatal(size, err)
	}
	s.Report, s.Host = pipe[1], -1
	first := &order.Enforced{Event: "enforced", Protected: strings.Split(strings.Repeat("/a/path/of/some/length/.git ", 230), " ")}
	if err := s.First(first); err != nil {
		t.Fatal(err)
	}
	return pipe[0]
}

// read is all that a reader finds now.
func read(fd int) string {
	b := make([]byte, 1<<20)
	n, _ := unix.Read(fd, b)
	return string(b[:max(n, 0)])
}

// A refusal is not lost because the reader has not come to the first line yet, which fills a small pipe.
func TestSmallPipe(t *testing.T) {
	var s Sink
	reader := smallPipe(t, &s)
	lines := 0
	for _, call := range []string{"ptrace", "unshare", "mount"} {
		s.Later(&order.Denied{Event: "denied", Act: order.Act{Syscall: call}})
	}
	if next := s.Retry(); s.Dropped != 0 || next.IsZero() || time.Until(next) > time.Second {
		t.Errorf("%d dropped, again at %v", s.Dropped, next)
	}
	if text := read(reader); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, `{"event":"enforced"`) {
		t.Errorf("%q", text)
	}
	if next := s.Retry(); !next.IsZero() {
		t.Errorf("something is kept: again at %v", next)
	}
	text := read(reader)
	for _, call := range []string{"ptrace", "unshare", "mount"} {
		line, rest, _ := strings.Cut(text, "\n")
		if text = rest; !strings.HasPrefix(line, `{"event":"denied"`) || !strings.Contains(line, call) {
			t.Errorf("line %d: %q", lines, line)
		}
		lines++
	}
}

// What nobody has read in the time of a last line is dropped and counted, and one who reads in that time has it.
func TestSettle(t *testing.T) {
	for after, name := range map[time.Duration]string{0: "nobody reads", lastLine - 2*leastPause: "somebody reads"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { settled(t, after) })
		})
	}
}

// settled lets somebody read after a while, if that is not 0.
func settled(t *testing.T, after time.Duration) {
	var s Sink
	reader, done := smallPipe(t, &s), make(chan struct{})
	s.Later(&order.Denied{Event: "denied", Act: order.Act{Syscall: "ptrace"}})
	go func() {
		defer close(done)
		if after > 0 {
			testbed.Pass(after)
			read(reader)
		}
	}()
	began, reads := time.Now(), after > 0
	s.Settle()
	if took := time.Since(began); !reads && took != lastLine || reads && took > after+leastPause {
		t.Errorf("%s", took)
	}
	<-done
	if got := read(reader); reads && (s.Dropped != 0 || !strings.Contains(got, "ptrace")) || !reads && s.Dropped != 1 {
		t.Errorf("reads %v: %d dropped, %q", reads, s.Dropped, got)
	}
}
