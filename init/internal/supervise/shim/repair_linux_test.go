package shim_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const masked = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/secret"]}}`

// A subject is a server that tries what it is told to, with the host's side of it.
type subject struct {
	*testing.T
	stage
	cmd   *exec.Cmd
	pid   int
	ask   *os.File
	done  func() outcome
	asked int
}

// subject starts a shell that at each line of its input tries to read the denied file and to write the protected one,
// and does what the line says.
func (s stage) subject(t *testing.T, doc string, alter func(*launch)) *subject {
	for _, name := range []string{"secret", ".mcp.json"} {
		s.fresh(t, "write/"+name)
	}
	os.Mkdir(s.Path("write/answers"), 0o777)
	os.Chmod(s.Path("write/answers"), 0o777)
	l := s.Launch(doc, "")
	l.Command = []string{"/bin/sh", "-c", "cd " + s.Path("write") + ` && while read -r line; do
		if { read -r x; } <secret; then echo "saw $x"; fi
		if { true; } >>.mcp.json; then echo wrote; fi
		eval "$line"; echo tried; n=$((n+1)); { true; } >answers/$n
		done 2>/dev/null; exit 7`}
	if alter != nil {
		alter(&l)
	}
	r, w := altered.Pipe(t)
	cmd, under, done := altered.Start(t, l, r)
	r.Close()
	return &subject{t, s, cmd, under.Began().PID, w, done, 0}
}

// fresh makes a file that the server could read and write if it were not for the sandbox.
func (s stage) fresh(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(s.Path(name), []byte("content\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path(name), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (s *subject) tell(line string) {
	s.Helper()
	s.asked++
	if _, err := io.WriteString(s.ask, line+"\n"); err != nil {
		s.Fatal(err)
	}
	answer := s.Path("write/answers/" + strconv.Itoa(s.asked))
	if testbed.Comes(func() bool {
		_, err := os.Stat(answer)
		return err == nil
	}) {
		return
	}
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/stat")
	s.ask.Close()
	s.Fatalf("no answer; the server: %q; %s", stat, s.done().Stderr)
}

// covered waits until a cover lies at a path again.
func (s *subject) covered(name string) {
	s.Helper()
	if testbed.Comes(func() bool {
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/mountinfo")
		return strings.Contains(string(b), " "+s.Path(name)+" ")
	}) {
		return
	}
	s.cmd.Process.Signal(unix.SIGTERM)
	s.ask.Close()
	s.Fatalf("%s is not covered again: %s", name, s.done().Stderr)
}

func (s *subject) end() outcome {
	s.ask.Close()
	return s.done()
}

// replace is each way in which hosts save a file.
var replace = []struct {
	name string
	do   func(path string) error
}{
	{"over", func(p string) error { return os.Rename(p+".new", p) }},
	{"away", func(p string) error { // as vim does, which keeps a backup
		if err := os.Rename(p, p+"~"); err != nil {
			return err
		}
		return os.Rename(p+".new", p)
	}},
	{"exchange", func(p string) error {
		return unix.Renameat2(unix.AT_FDCWD, p, unix.AT_FDCWD, p+".new", unix.RENAME_EXCHANGE)
	}},
	{"delete", func(p string) error {
		if err := os.Remove(p); err != nil {
			return err
		}
		testbed.Span(5 * time.Millisecond) // long enough to be missed
		return os.Rename(p+".new", p)
	}},
}

// A host saves a denied and a protected file 200 times, and the server, which goes on, never reads the one or writes the other.
func TestWhatTheHostReplacesIsCoveredAgain(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	for _, way := range replace {
		t.Run(way.name, func(t *testing.T) {
			s := build(t, "/var/tmp").subject(t, masked, nil)
			for range rounds {
				for _, name := range []string{"write/secret", "write/.mcp.json"} {
					s.fresh(t, name+".new")
					if err := way.do(s.Path(name)); err != nil {
						t.Fatal(err)
					}
					s.covered(name)
					s.tell("")
				}
			}
			o := s.end()
			last := o.Report[len(o.Report)-1]
			if o.Code != 7 || last["cause"] != "exit" || o.Stdout != strings.Repeat("tried\n", s.asked) {
				t.Errorf("code %d, %v, %q\n%s", o.Code, last, o.Stdout, o.Stderr)
			}
		})
	}
}

// The positive control: while nobody watches, the server reads the one and writes the other.
func TestWhatTheHostReplacesIsOpenWhileNobodyWatches(t *testing.T) {
	s := build(t, "/var/tmp").subject(t, masked, nil)
	s.tell("")
	s.cmd.Process.Signal(unix.SIGSTOP)
	s.shimStopped()
	for _, name := range []string{"write/secret", "write/.mcp.json"} {
		s.fresh(t, name+".new")
		if err := os.Rename(s.Path(name+".new"), s.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	s.tell("")
	s.cmd.Process.Signal(unix.SIGCONT)
	s.covered("write/secret")
	s.covered("write/.mcp.json")
	s.tell("")
	if o := s.end(); o.Code != 7 || o.Stdout != "tried\nsaw content\nwrote\ntried\ntried\n" {
		t.Errorf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
	}
}

// A watcher that has no descriptor left for a while goes on when there is one again: in a host all sandboxes share them.
func TestRepairWithoutDescriptors(t *testing.T) {
	s := build(t, "/var/tmp").subject(t, masked, nil)
	s.tell("")
	pid := s.cmd.Process.Pid
	var had unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &had); err != nil {
		t.Fatal(err)
	}
	free := 0
	for used := error(nil); used == nil; free++ {
		_, used = os.Lstat("/proc/" + strconv.Itoa(pid) + "/fd/" + strconv.Itoa(free))
	}
	free-- // the lowest number that is not in use
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(free), Max: had.Max}, nil); err != nil {
		t.Fatal(err)
	}
	pauses := func() (all int) {
		threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/status")
		for _, thread := range threads {
			b, _ := os.ReadFile(thread)
			_, after, _ := strings.Cut(string(b), "\nvoluntary_ctxt_switches:")
			line, _, _ := strings.Cut(after, "\n")
			n, _ := strconv.Atoi(strings.TrimSpace(line))
			all += n
		}
		return all
	}
	before := pauses()
	s.fresh(t, "write/secret.new")
	if err := os.Rename(s.Path("write/secret.new"), s.Path("write/secret")); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "tries to look", func() bool { return pauses() > before+5 })
	if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, &had, nil); err != nil {
		t.Fatal(err)
	}
	s.covered("write/secret")
	s.tell("")
	if o := s.end(); o.Code != 7 || o.Stdout != "tried\ntried\n" {
		t.Errorf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
	}
}
