package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/scripttest"
	"golang.org/x/sys/unix"
)

// An ended is the program with real descriptors, at its end.
type ended struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// start runs the program with extra as its descriptors from 3 on; a nil one stays closed.
func start(t *testing.T, args []string, extra ...*os.File) ended {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"mcp-sandbox-init"}, args...)
	cmd.ExtraFiles, cmd.Dir = extra, t.TempDir()
	began := time.Now()
	code, stdout, stderr := testbed.Finish(t, cmd)
	return ended{code, stdout, stderr, time.Since(began)}
}

// refused demands a launch that the launcher refused in one line with these words, before the server ran.
func (l ended) refused(t *testing.T, words string) {
	t.Helper()
	if l.code != 125 || l.stdout != "" || strings.Count(l.stderr, "\n") != 1 || !strings.Contains(l.stderr, words) {
		t.Errorf("got %d %q %q, want 125, nothing, one line with %q", l.code, l.stdout, l.stderr, words)
	}
	if problem := scripttest.Foreign(l.stderr); problem != "" {
		t.Error(problem)
	}
}

func (l ended) ran(t *testing.T, stdout string) {
	t.Helper()
	if l.code != 0 || l.stdout != stdout {
		t.Errorf("got %d %q %q, want 0 %q", l.code, l.stdout, l.stderr, stdout)
	}
}

const good = `{"version":1,"env":{"FROM":"policy"}}`

// pipe is a pipe whose reading end is returned, with b in it and its other end closed. b may be larger than a pipe.
func pipe(t *testing.T, b []byte) *os.File {
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { r.Close() })
	go func() { w.Write(b); w.Close() }()
	return r
}

func file(t *testing.T, b string) string {
	path := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(path, []byte(b), 0o644))
	return path
}

func open(t *testing.T, path string, flags int) *os.File {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	check(t, err)
	f := os.NewFile(uintptr(fd), path)
	t.Cleanup(func() { f.Close() })
	return f
}

func socketpair(t *testing.T) (ours, theirs *os.File) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	check(t, err)
	ours, theirs = os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

func TestPolicyDescriptor(t *testing.T) {
	server := []string{"--policy-fd", "3", "--", "sh", "-c", `echo $FROM; ls /proc/self/fd | wc -l`}
	const ran = "policy\n4\n" // 0 to 2, and the one that ls reads the folder with
	longest := good + strings.Repeat(" ", 1<<20-len(good))
	for _, c := range []struct {
		name string
		fd   func(t *testing.T) *os.File
	}{
		{"pipe", func(t *testing.T) *os.File { return pipe(t, []byte(good)) }},
		{"socketpair", func(t *testing.T) *os.File {
			ours, theirs := socketpair(t)
			ours.WriteString(good)
			unix.Shutdown(int(ours.Fd()), unix.SHUT_WR)
			return theirs
		}},
		{"memory file", func(t *testing.T) *os.File {
			fd, err := unix.MemfdCreate("policy", unix.MFD_CLOEXEC)
			check(t, err)
			f := os.NewFile(uintptr(fd), "policy")
			t.Cleanup(func() { f.Close() })
			f.WriteString(good)
			f.Seek(0, 0)
			return f
		}},
		{"file", func(t *testing.T) *os.File { return open(t, file(t, good), unix.O_RDONLY) }},
		{"file, from its offset", func(t *testing.T) *os.File {
			f := open(t, file(t, "not this"+good), unix.O_RDONLY)
			f.Seek(int64(len("not this")), 0)
			return f
		}},
		{"file open for both", func(t *testing.T) *os.File { return open(t, file(t, good), unix.O_RDWR) }},
		{"not blocking", func(t *testing.T) *os.File {
			ours, theirs := socketpair(t)
			unix.SetNonblock(int(theirs.Fd()), true)
			go func() {
				defer ours.Close()
				for _, part := range strings.SplitAfter(good, ",") {
					ours.WriteString(part)
					testbed.Comes(func() bool { // the program has read that, and finds nothing
						n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCOUTQ)
						return n == 0 || err != nil
					})
				}
			}()
			return theirs
		}},
		{"1 MiB", func(t *testing.T) *os.File { return pipe(t, []byte(longest)) }},
	} {
		t.Run(c.name, func(t *testing.T) { start(t, server, c.fd(t)).ran(t, ran) })
	}

	for _, c := range []struct {
		name string
		fd   func(t *testing.T) *os.File
		want string
	}{
		{"closed", func(*testing.T) *os.File { return nil }, "--policy-fd 3: the descriptor is"},
		{"write-only file", func(t *testing.T) *os.File { return open(t, file(t, good), unix.O_WRONLY) }, "--policy-fd 3: the descriptor cannot be read from"},
		{"write end of a pipe", func(t *testing.T) *os.File {
			r, w, err := os.Pipe()
			check(t, err)
			t.Cleanup(func() { r.Close(); w.Close() })
			return w
		}, "cannot be read from"},
		{"O_PATH", func(t *testing.T) *os.File { return open(t, file(t, good), unix.O_PATH) }, "cannot be read from"},
		{"folder", func(t *testing.T) *os.File { return open(t, "/usr", unix.O_RDONLY) }, "--policy-fd 3: is a folder"},
		{"empty", func(t *testing.T) *os.File { return pipe(t, nil) }, "--policy-fd 3: the document is empty"},
		{"file at its end", func(t *testing.T) *os.File {
			f := open(t, file(t, good), unix.O_RDONLY)
			f.Seek(0, 2)
			return f
		}, "the document is empty"},
		{"a byte over 1 MiB", func(t *testing.T) *os.File { return pipe(t, []byte(longest+" ")) }, "--policy-fd 3: is too long"},
		{"without an end", func(t *testing.T) *os.File { return open(t, "/dev/zero", unix.O_RDONLY) }, "is too long"},
		{"no policy", func(t *testing.T) *os.File { return pipe(t, []byte(`{"version":1,"levle":"strict"}`)) },
			"--policy-fd 3: /levle: unknown key (did you mean level?)"},
	} {
		t.Run(c.name, func(t *testing.T) { start(t, server, c.fd(t)).refused(t, c.want) })
	}
}

// A host that never closes its end is told after five seconds.
func TestSlowPolicy(t *testing.T) {
	t.Parallel()
	ours, theirs := socketpair(t)
	ours.WriteString(good)
	l := start(t, []string{"--policy-fd", "3", "--", "echo", "ran"}, theirs)
	l.refused(t, "--policy-fd 3: its end did not come in time")
	if l.took < 4*time.Second || l.took > time.Minute {
		t.Errorf("took %v, want five seconds, or some more on a busy machine", l.took)
	}
}

// What a host hands over by a descriptor is its own word: nothing has to be said twice. Level privileged comes with a
// later issue, so what is told here is that, and not that a flag is missing.
func TestDescriptorIsTheHostsWord(t *testing.T) {
	l := start(t, []string{"--policy-fd", "3", "--", "echo", "ran"}, pipe(t, []byte(`{"version":1,"level":"privileged"}`)))
	if l.stdout != "ran\n" && (l.code != 125 || strings.Contains(l.stderr, "--level privileged")) {
		t.Errorf("got %d %q %q", l.code, l.stdout, l.stderr)
	}
}
