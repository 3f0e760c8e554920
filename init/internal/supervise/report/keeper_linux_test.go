package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// A folder that does not answer holds up neither a launch nor its end, and gets the lines that it can once it answers.
func TestFolderDoesNotAnswer(t *testing.T) {
	at := filepath.Join(t.TempDir(), "report")
	answers := make(chan struct{})
	s := Sink{Report: -1, Host: -1, ID: "0f"}
	s.keeper = newKeeper(func() (int, error) {
		<-answers
		fd, err := unix.Open(at, unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
		if err == nil {
			err = reports.Append(fd, []byte("first\n"))
		}
		return fd, err
	})
	began := time.Now()
	for range mostQueued + 10 {
		s.Later(&order.Denied{Event: "denied", Act: order.Act{Syscall: "ptrace"}})
	}
	if next := s.Retry(); !next.IsZero() {
		t.Error("again at", next)
	}
	s.Settle()
	if s.Dropped != 10 || s.Kept() {
		t.Errorf("%d dropped, kept: %v", s.Dropped, s.Kept())
	}
	s.Last(&order.Exited{Event: "exited"})
	if took := time.Since(began); took > 30*time.Second {
		t.Error(took)
	}
	close(answers)
	<-s.keeper.done
	text, err := os.ReadFile(at)
	if n := strings.Count(string(text), "ptrace"); n != mostQueued || !strings.HasPrefix(string(text), "first\n{") || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
}

// What is kept is all written when the last line is, in the order in which it came.
func TestKeeps(t *testing.T) {
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	if !reports.Prepare() {
		t.Fatal("no folder")
	}
	s := Sink{Report: -1, Host: -1}
	s.Keep(&order.Enforced{Event: "enforced"})
	for range 100 {
		s.Later(&order.Denied{Event: "denied"})
	}
	<-s.keeper.made // which the launcher awaits for a second
	if s.Settle(); s.Dropped != 0 || !s.Kept() {
		t.Fatal(s.Dropped, s.Kept())
	}
	s.Last(&order.Exited{Event: "exited"})
	<-s.keeper.done
	at, err := reports.Newest()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(at)
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) != 103 || !strings.HasPrefix(lines[0], `{"event":"enforced"`) ||
		!strings.HasPrefix(lines[1], `{"event":"denied"`) || !strings.HasPrefix(lines[101], `{"event":"exited"`) {
		t.Errorf("%v\n%s", err, text)
	}
}
