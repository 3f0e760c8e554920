package launch_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/relay"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// An engine is one launch of a test, in this process.
type engine struct {
	config launch.Config
	in     int    // writes to the server's standard input
	out    int    // reads what the server says
	theirs [2]int // the server's ends
}

func newEngine(t *testing.T, document string) *engine {
	t.Helper()
	p, err := policy.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	o, err := order.New(p, policy.Library, []string{"/bin/cat"}, []string{"PATH=/usr/bin:/bin", "HOME=/nowhere/home"}, "/")
	if err != nil {
		t.Fatal(err)
	}
	var in, out [2]int
	for _, pipe := range []*[2]int{&in, &out} {
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
	e := &engine{in: in[1], out: out[0], theirs: [2]int{in[0], out[1]}}
	given := relay.Streams{Server: [3]int{in[0], out[1], out[1]}}
	standards, err := given.Standards()
	if err != nil {
		t.Fatal(err)
	}
	e.config = launch.Config{Order: o, Stdio: launch.Stdio{FDs: given.Server, Standards: standards}}
	e.config.Hooks.Timeout = 2 * testbed.Patience() // twenty at once
	if e.config.Policy, err = policy.ParseCanonical(o.Policy); err != nil {
		t.Fatal(err)
	}
	if e.config.Machine, err = launch.Identify(&e.config.Policy); err != nil {
		t.Fatal(err)
	}
	return e
}

// run launches, releases the server, has it say a line again, and waits for its end. Its own loop serves it.
func (e *engine) run(line string) (said string, err error) {
	runtime.LockOSThread() // init dies with the thread that started it
	defer runtime.UnlockOSThread()
	defer unix.Close(e.out)
	l := launch.New(e.config)
	defer l.Close()
	sandbox, err := l.Start()
	for _, fd := range e.theirs {
		unix.Close(fd)
	}
	if err != nil {
		unix.Close(e.in)
		return "", err
	}
	defer sandbox.Close()
	sandbox.Release()
	unix.Write(e.in, []byte(line))
	unix.Close(e.in)
	var events loop.Loop
	events.Add(sandbox.Init.FD, unix.POLLIN, func(int16) { events.End() })
	var output *loop.Source
	read := func() (more bool) {
		var b [64]byte
		n, _ := unix.Read(e.out, b[:])
		said += string(b[:max(n, 0)])
		return n > 0
	}
	output = events.Add(e.out, unix.POLLIN, func(int16) {
		if !read() {
			output.Remove()
		}
	})
	sandbox.Listener.Register(&events)
	events.Timer(func() {
		err = errors.New("the server does not end")
		events.End()
	}).Set(time.Now().Add(time.Minute))
	if e := events.Run(); e != nil {
		return said, e
	}
	for read() { // what came at the same moment as init's end
	}
	if _, e := sandbox.Reap(); e != nil {
		return said, e
	}
	if claim, known := sandbox.Program.Ended(); err == nil && (!known || claim != 0) {
		err = errors.New("init says that the server ended with status " + strconv.Itoa(int(claim)))
	}
	return said, err
}

// status are the lines of /proc/self/status.
func status(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		lines[name] = strings.TrimSpace(value)
	}
	return lines
}

// A process is what a launch must leave as it was.
func process(t *testing.T) map[string]string {
	t.Helper()
	s, is := status(t), map[string]string{}
	for _, name := range []string{"Umask", "SigIgn", "SigCgt", "Uid", "Groups", "NoNewPrivs", "Seccomp"} {
		is[name] = s[name]
	}
	is["subreaper"] = strconv.FormatBool(platform.IsChildSubreaper())
	for fd := range 3 {
		name := "descriptor " + strconv.Itoa(fd)
		is[name], _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		is[name] += " " + strconv.Itoa(flags) + " " + strconv.FormatBool(err == nil)
	}
	for _, name := range []string{"cgroup", "sessionid"} {
		b, _ := os.ReadFile("/proc/self/" + name)
		is[name] = string(b)
	}
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range lists {
		b, _ := os.ReadFile(file)
		is["children"] += string(b)
	}
	is["folder"], _ = os.Getwd()
	return is
}

// Twenty launches run in one process at once, each with its own loop, and change nothing of the process.
func TestSideBySide(t *testing.T) {
	const launches = 20
	engines := make([]*engine, launches)
	for i := range engines {
		engines[i] = newEngine(t, `{"version":1,"minConfinement":"full"}`)
	}
	before := process(t)
	var all sync.WaitGroup
	for i, e := range engines {
		all.Go(func() {
			line := "server " + strconv.Itoa(i) + "\n"
			if said, err := e.run(line); err != nil || said != line {
				t.Errorf("%v, %q, want %q", err, said, line)
			}
		})
	}
	all.Wait()
	after := process(t)
	for name, was := range before {
		if after[name] != was {
			t.Errorf("%s was %q and is %q", name, was, after[name])
		}
	}
}

// A launch in a process that is not its own leaves no descriptor open, and gives no confinement that would change the process.
func TestNotAlone(t *testing.T) {
	if said, err := newEngine(t, `{"version":1}`).run("first\n"); err != nil || said != "first\n" {
		t.Fatalf("%v, %q", err, said)
	}
	before := open(t)
	if said, err := newEngine(t, `{"version":1}`).run("second\n"); err != nil || said != "second\n" {
		t.Errorf("%v, %q", err, said)
	}
	for _, least := range []string{"reduced", "limits"} {
		e := newEngine(t, `{"version":1,"minConfinement":"`+least+`"}`)
		e.config.Order.Begin = least
		var refusal *order.Refusal
		if said, err := e.run("weaker\n"); !errors.As(err, &refusal) || refusal.Err != unix.ENOSYS || said != "" {
			t.Errorf("%s: %v, %q", least, err, said)
		}
	}
	if after := open(t); !slices.Equal(after, before) {
		t.Errorf("open were %v and are %v", before, after)
	}
}

// open are this process's descriptors and what they are of.
func open(t *testing.T) (all []string) {
	t.Helper()
	names, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if to, err := os.Readlink(name); err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			all = append(all, filepath.Base(name)+" "+to)
		}
	}
	return all
}
