package lasting_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// flock opens a folder and locks it.
func (s *shelf) flock(folder string, how int) (*os.File, error) {
	s.Helper()
	f, err := os.Open(folder)
	s.must(err)
	s.Cleanup(func() { f.Close() })
	return f, unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
}

// holds reports whether a process has a descriptor of a folder.
func (s *shelf) holds(pid int, folder string) bool {
	s.Helper()
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	names, err := os.ReadDir(dir)
	s.must(err)
	for _, name := range names {
		if to, _ := os.Readlink(dir + "/" + name.Name()); to == folder {
			return true
		}
	}
	return false
}

// The launcher holds the lock of a package while the server runs, and neither init nor the server has the descriptor.
func TestPackageIsLocked(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		r := s.server(s.id(), "", "/bin/sh", "-c", "exec sleep 100")
		e := r.Began()
		if _, err := s.flock(s.pack, unix.LOCK_EX); err != unix.EWOULDBLOCK {
			t.Errorf("a package that runs: %v", err)
		}
		other, err := s.flock(s.pack, unix.LOCK_SH)
		if other.Close(); err != nil {
			t.Errorf("with another launch: %v", err)
		}
		if !s.holds(r.Cmd.Process.Pid, s.pack) {
			t.Error("the launcher has no descriptor of the folder")
		}
		// Only root looks into a process that is not dumpable.
		for pid := e.PID; os.Geteuid() == 0 && pid != r.Cmd.Process.Pid && pid > 1; {
			if s.holds(pid, s.pack) {
				t.Errorf("process %d has the descriptor, and the server is %d", pid, e.PID)
			}
			b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			s.must(err)
			st, ok := platform.ParseStat(b)
			if !ok {
				t.Fatalf("%s", b)
			}
			pid = st.Parent
		}
		r.Cmd.Process.Signal(syscall.SIGTERM)
		r.Wait()
		if _, err := s.flock(s.pack, unix.LOCK_EX); err != nil {
			t.Errorf("after the end: %v", err)
		}
	})
	eachShelf(t, func(t *testing.T, s *shelf) {
		r := s.server(s.id(), "", "/bin/ls", "-l", "/proc/self/fd")
		r.Wait()
		if said := r.Stdout.String(); !strings.Contains(said, "0 -> ") || strings.Contains(said, "store") {
			t.Errorf("the server has\n%s\n%s", said, &r.Stderr)
		}
	})
}

// A launch waits for whoever removes packages, but not for ever, and not when it is asked to end: the lock is held to the
// end then, and a wait for it would end with another code.
func TestPackageIsBeingRemoved(t *testing.T) {
	for _, c := range []struct {
		name, said string
		code       int
		do         func(s *shelf, held *os.File, r *host.Run)
	}{
		{"for ever", "the package is being removed or changed", 125, func(*shelf, *os.File, *host.Run) {}},
		{"shortly", "", 0, func(_ *shelf, held *os.File, _ *host.Run) { held.Close() }},
		{"and is", "the package is not in the store", 125, func(s *shelf, held *os.File, _ *host.Run) {
			s.must(os.Rename(s.pack, s.pack+".gone"))
			held.Close()
		}},
		{"and replaced", "the package is not in the store", 125, func(s *shelf, held *os.File, _ *host.Run) {
			s.must(os.Rename(s.pack, s.pack+".gone"))
			s.must(os.Mkdir(s.pack, 0o755))
			held.Close()
		}},
		{"while TERM comes", "", 143, func(_ *shelf, _ *os.File, r *host.Run) {
			r.Cmd.Process.Signal(syscall.SIGTERM)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelf(t, "")
			held, err := s.flock(s.pack, unix.LOCK_EX)
			s.must(err)
			r := s.server(s.id(), "", s.pack+"/program")
			testbed.Await(t, "the launcher's descriptor of the folder", func() bool { return s.holds(r.Cmd.Process.Pid, s.pack) })
			c.do(s, held, r)
			r.Wait()
			if c.code != 0 && r.Stdout.Len() > 0 {
				t.Errorf("the server ran: %s", &r.Stdout)
			}
			if r.Code != c.code || !strings.Contains(r.Stderr.String(), c.said) {
				t.Errorf("%d\n%s", r.Code, &r.Stderr)
			}
			if c.code == 125 && strings.Count(r.Stderr.String(), "\n") != 1 {
				t.Errorf("more than one line:\n%s", &r.Stderr)
			}
		})
	}
}
