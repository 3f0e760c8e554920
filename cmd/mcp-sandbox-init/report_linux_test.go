package main

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

var echo = []string{"--report-fd", "3", "--", "echo", "ran"}

// events are the kinds of a report's lines.
func events(t *testing.T, report string) string {
	t.Helper()
	var list []string
	for line := range strings.Lines(report) {
		var l struct{ Event string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		list = append(list, l.Event)
	}
	return strings.Join(list, " ")
}

// collect reads a pipe or socket to its end.
func collect(r io.Reader) <-chan string {
	c := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(r)
		c <- string(b)
	}()
	return c
}

func TestReportDescriptor(t *testing.T) {
	for _, c := range []struct {
		name, events string
		code         int
		args         []string
	}{
		{"launch", "enforced exited", 0, []string{"--report-fd", "3", "--", "true"}},
		{"own status", "enforced exited", 9, []string{"--report-fd", "3", "--", "sh", "-c", "exit 9"}},
		{"no command of that name", "refused", 127, []string{"--report-fd", "3", "--", "no-such-command"}},
		{"not executable", "refused", 126, []string{"--report-fd", "3", "--", "/etc/passwd"}},
		{"bad policy", "refused", 125, []string{"--report-fd=3", "--policy", "missing.json", "--", "true"}},
		{"bad flag", "refused", 125, []string{"--report-fd=3", "--level", "loose", "--", "true"}},
		{"bad usage", "refused", 125, []string{"--report-fd=3", "--what", "--", "true"}},
		{"no command", "refused", 125, []string{"--report-fd=3"}},
	} {
		t.Run("pipe/"+c.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			check(t, err)
			report := collect(r)
			l := start(t, c.args, w)
			w.Close()
			if got := events(t, <-report); got != c.events || l.code != c.code {
				t.Errorf("got %q, %d, want %q, %d; %s", got, l.code, c.events, c.code, l.stderr)
			}
		})
		t.Run("socket/"+c.name, func(t *testing.T) {
			ours, theirs := socketpair(t)
			report := collect(ours)
			l := start(t, c.args, theirs)
			theirs.Close()
			if got := events(t, <-report); got != c.events || l.code != c.code {
				t.Errorf("got %q, %d, want %q, %d; %s", got, l.code, c.events, c.code, l.stderr)
			}
		})
	}
}

func TestReportOfABadPolicy(t *testing.T) {
	r, w, err := os.Pipe()
	check(t, err)
	report := collect(r)
	l := start(t, []string{"--policy-fd", "4", "--report-fd", "3", "--", "echo", "ran"}, w, pipe(t, []byte(`{"version":1,"x":1}`)))
	w.Close()
	l.refused(t, "--policy-fd 4: /x: unknown key")
	var got order.Refused
	check(t, json.Unmarshal([]byte(<-report), &got))
	if got.Event != "refused" || got.Layer != order.Policy || !strings.Contains(got.Error, "/x: unknown key") {
		t.Errorf("got %+v", got)
	}
}

func TestBadReportDescriptor(t *testing.T) {
	for _, c := range []struct {
		name string
		fd   func(t *testing.T) *os.File
		want string
	}{
		{"closed", func(*testing.T) *os.File { return nil }, "--report-fd 3: the descriptor is"},
		{"read-only", func(t *testing.T) *os.File { return open(t, file(t, ""), unix.O_RDONLY) }, "--report-fd 3: the descriptor cannot be written to"},
		{"folder", func(t *testing.T) *os.File { return open(t, "/usr", unix.O_RDONLY) }, "cannot be written to"},
		{"O_PATH", func(t *testing.T) *os.File { return open(t, file(t, ""), unix.O_PATH) }, "cannot be written to"},
		{"full", func(t *testing.T) *os.File { return open(t, "/dev/full", unix.O_WRONLY) }, "write the report: no space left on device"},
		{"nobody reads any more", func(t *testing.T) *os.File {
			r, w, err := os.Pipe()
			check(t, err)
			r.Close()
			t.Cleanup(func() { w.Close() })
			return w
		}, "write the report: broken pipe"},
	} {
		t.Run(c.name, func(t *testing.T) { start(t, echo, c.fd(t)).refused(t, c.want) })
	}
}

// A reader that does not read keeps the server from starting, and the launcher from nothing.
func TestBlockedReport(t *testing.T) {
	for _, kind := range []string{"pipe", "socket"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if kind == "socket" {
				r, w = socketpair(t)
			}
			check(t, err)
			defer r.Close()
			fill(t, w)
			l := start(t, echo, w)
			w.Close()
			l.refused(t, "write the report: nobody reads it")
			if l.took < 4*time.Second || l.took > time.Minute {
				t.Errorf("took %v, want five seconds, or some more on a busy machine", l.took)
			}
		})
	}
}

// fill writes until nothing fits any more, and leaves a descriptor that blocks.
func fill(t *testing.T, w *os.File) {
	fd := int(w.Fd())
	check(t, unix.SetNonblock(fd, true))
	for b := make([]byte, 4096); len(b) > 0; {
		if _, err := unix.Write(fd, b); err == unix.EAGAIN {
			b = b[:len(b)/2]
		} else {
			check(t, err)
		}
	}
	check(t, unix.SetNonblock(fd, false))
}

// The server never gets the report's descriptor, whatever number it has.
func TestReportStaysOutside(t *testing.T) {
	f := open(t, file(t, ""), unix.O_WRONLY)
	start(t, []string{"--report-fd", "5", "--", "sh", "-c", "ls /proc/self/fd | wc -l"}, nil, nil, f).ran(t, "4\n")
	b, err := os.ReadFile(f.Name())
	check(t, err)
	if got := events(t, string(b)); got != "enforced exited" {
		t.Errorf("got %q", got)
	}
}
