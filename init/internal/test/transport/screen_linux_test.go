package transport_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A screen is the host's side of a terminal: what was written to it, and what has been looked at.
type screen struct {
	*testing.T
	master *os.File

	mu   sync.Mutex
	text string
	seen int
	over bool

	stop, stopped chan struct{}
}

func newScreen(t *testing.T, master *os.File) *screen {
	s := &screen{T: t, master: master, stop: make(chan struct{}), stopped: make(chan struct{})}
	fd := int(master.Fd())
	go func() {
		defer close(s.stopped)
		b := make([]byte, 4096)
		for {
			// A read that waits would keep the terminal from being closed.
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, _ := unix.Poll(fds, 20)
			select {
			case <-s.stop:
				return
			default:
			}
			if n <= 0 {
				continue
			}
			n, err := master.Read(b)
			s.mu.Lock()
			s.text += string(b[:n])
			s.over = err != nil
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

// wait waits until a text appears behind what was waited for before.
func (s *screen) wait(text string) {
	s.Helper()
	at, rest, over := -1, "", false
	testbed.Comes(func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		rest, over = s.text[s.seen:], s.over
		if at = strings.Index(rest, text); at >= 0 {
			s.seen += at + len(text)
		}
		return at >= 0 || over
	})
	if at < 0 {
		s.Fatalf("%q did not appear; since then (ended: %v): %q", text, over, rest)
	}
}

func (s *screen) typed(text string) {
	s.Helper()
	if _, err := s.master.WriteString(text); err != nil {
		s.Fatal(err)
	}
}

// hangUp closes the terminal.
func (s *screen) hangUp() {
	close(s.stop)
	<-s.stopped
	s.master.Close()
}

func (s *screen) size(rows, cols int) {
	s.Helper()
	if err := pty.Setsize(s.master, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}); err != nil {
		s.Fatal(err)
	}
}

// modes are the terminal's, as its other side has them.
func (s *screen) modes() unix.Termios {
	s.Helper()
	m, err := unix.IoctlGetTermios(int(s.master.Fd()), unix.TCGETS)
	if err != nil {
		s.Fatal(err)
	}
	return *m
}
