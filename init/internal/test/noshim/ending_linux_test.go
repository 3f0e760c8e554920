package noshim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// leaves is the role of a host that hands its server its own streams, and says how it ended. It may fork a child that
// executes nothing, which keeps every descriptor: those of a launch that runs, or of one before its start.
const leaves = "noshim.test leaves"

// polite is a server that says when it is asked to end, and takes its time.
const polite = `trap 'echo TERM; sleep 0.4; echo end; exit 0' TERM; echo ready; while :; do sleep 0.05; done`

func leavesHost(words []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	t := launcher.Target{Path: "/bin/sh", Args: []string{"-c", words[1]}, Dir: "/"}
	p := policy.Policy{Limits: policy.Limits{Grace: policy.Duration(time.Minute)}}
	sb, err := launcher.Command(ctx, p, t)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	sb.Cmd.Stdin, sb.Cmd.Stdout, sb.Cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if words[0] == "forks before" {
		fmt.Println("forked", fork())
	}
	if err = sb.Cmd.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	if words[0] == "forks" { // once this process has no copy of the server's output any more
		if _, err = sb.Report(ctx); err != nil {
			fmt.Println(err)
		}
		fmt.Println("forked", fork())
	}
	x, err := sb.Wait(ctx)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(x.Cause, x.ExitCode)
	_ = sb.Cmd.Wait()
	return 0
}

// fork makes a child that executes nothing, and has no output of this process.
//
//go:norace
func fork() (pid int) {
	r, _, _ := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	if r == 0 {
		syscall.RawSyscall(syscall.SYS_CLOSE, 1, 0, 0)
		syscall.RawSyscall(syscall.SYS_CLOSE, 2, 0, 0)
	}
	for r == 0 {
		syscall.RawSyscall(syscall.SYS_PPOLL, 0, 0, 0)
	}
	return int(r)
}

// A leaving is a host with a server, of which the test reads what both say.
type leaving struct {
	*testing.T
	host, parent int
	said         *bufio.Reader
}

func leave(t *testing.T, forks, script string) *leaving {
	t.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close() })
	cmd := testbed.As(leaves, forks, script)
	cmd.Stdout = to
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	l := &leaving{T: t, host: testbed.Background(t, cmd), said: bufio.NewReader(from)}
	to.Close()
	return l
}

// hears waits for these lines.
func (l *leaving) hears(lines ...string) {
	l.Helper()
	for _, want := range lines {
		got, err := l.said.ReadString('\n')
		if got != want+"\n" {
			l.Fatalf("said %q, %v; want %q", got, err, want)
		}
	}
}

// ends waits for the end of all that have the output.
func (l *leaving) ends() {
	l.Helper()
	done := make(chan string, 1)
	go func() {
		rest, _ := io.ReadAll(l.said)
		done <- string(rest)
	}()
	if rest := testbed.Receive(l, "the end of the server and its parent", done); rest != "" {
		l.Errorf("said %q besides", rest)
	}
}

func (l *leaving) send(pid int, all ...unix.Signal) {
	l.Helper()
	for _, sig := range all {
		if err := unix.Kill(pid, sig); err != nil {
			l.Fatal(err)
		}
	}
}

// begins waits for the server, and for the host's fork if there is one.
func (l *leaving) begins(forks string) {
	l.Helper()
	for left := 1 + min(1, len(forks)); left > 0; left-- {
		line, err := l.said.ReadString('\n')
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if pid, _ := strconv.Atoi(number); name == "forked" && pid > 1 {
			l.Cleanup(func() { _ = unix.Kill(pid, unix.SIGKILL) })
		} else if name != "ready" {
			l.Fatalf("said %q, %v", line, err)
		}
	}
	for _, pid := range testbed.Children(l.host) {
		if comm(pid) == order.ParentName {
			l.parent = pid
		}
	}
}

func (l *leaving) stopped(pid int) {
	l.Helper()
	testbed.Await(l, "the stop of a process", func() bool { return testbed.State(pid) == "T" })
}

// A fate is what is done to the processes of a launch, and what its server and its host say then.
type fate struct {
	name  string
	forks string // when the host does; "" for never
	do    func(l *leaving)
}

func fates() []fate {
	lost := func(l *leaving) { l.send(l.parent, unix.SIGKILL); l.hears("supervisor-lost 137") }
	return []fate{
		{"host killed", "", func(l *leaving) { l.send(l.host, unix.SIGKILL); l.hears("TERM", "end") }},
		{"host killed that forked", "forks", func(l *leaving) { l.send(l.host, unix.SIGKILL); l.hears("TERM", "end") }},
		{"parent killed", "", lost},
		{"parent killed, host forked before", "forks before", lost},
		{"init killed", "", func(l *leaving) {
			l.send(testbed.Children(l.parent)[0], unix.SIGKILL)
			l.hears("supervisor-lost 137")
		}},
		{"parent asked", "", func(l *leaving) {
			l.send(l.parent, unix.SIGTERM)
			l.hears("TERM", "end", "cancelled 0")
		}},
		{"host stopped, parent killed", "", func(l *leaving) {
			l.send(l.host, unix.SIGSTOP)
			l.stopped(l.host)
			init := testbed.Children(l.parent)[0]
			l.send(l.parent, unix.SIGKILL)
			testbed.Await(l, "the end of init", func() bool { s := testbed.State(init); return s == "" || s == "Z" })
			l.send(l.host, unix.SIGCONT)
			l.hears("supervisor-lost 137")
		}},
		{"host stopped and killed", "", func(l *leaving) {
			l.send(l.host, unix.SIGSTOP)
			l.stopped(l.host)
			l.send(l.host, unix.SIGKILL)
			l.hears("TERM", "end")
		}},
		{"host stopped, parent asked", "", func(l *leaving) {
			l.send(l.host, unix.SIGSTOP)
			l.stopped(l.host)
			l.send(l.parent, unix.SIGTERM)
			l.send(l.host, unix.SIGCONT)
			l.hears("TERM", "end", "cancelled 0")
		}},
		{"parent stopped, host killed", "", func(l *leaving) {
			l.send(l.parent, unix.SIGSTOP)
			l.stopped(l.parent)
			l.send(l.host, unix.SIGKILL)
			l.hears("TERM", "end")
		}},
		{"parent stopped and continued", "", func(l *leaving) {
			l.send(l.parent, unix.SIGSTOP)
			l.stopped(l.parent)
			l.send(l.parent, unix.SIGCONT, unix.SIGTERM)
			l.hears("TERM", "end", "cancelled 0")
		}},
	}
}

// What becomes of a server when its host or its parent is stopped, continued or killed.
func TestEnds(t *testing.T) {
	ordinary(t)
	for _, c := range fates() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := leave(t, c.forks, polite)
			l.begins(c.forks)
			if l.parent == 0 || len(testbed.Children(l.parent)) != 1 {
				t.Fatalf("no parent with one init: %d", l.parent)
			}
			c.do(l)
			l.ends()
		})
	}
}
