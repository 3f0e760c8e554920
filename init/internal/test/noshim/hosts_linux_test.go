package noshim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// aHost is the role of a host that is of a kind of its own.
const aHost = "noshim.test host"

// A hostKind is how a host differs from others.
type hostKind struct {
	name    string
	prepare func() error      // in the host
	cmd     func(c *exec.Cmd) // of each launch
	start   func(c *exec.Cmd) // how the test starts the host
	reaped  bool              // by another: Cmd.Wait cannot tell the status
	stops   bool              // it stops the init of a server that it ends, which /proc hides
	way     string            // the name of the process that is started; "" for a parent
}

func hostKinds() []hostKind {
	attr := func(change func(a *syscall.SysProcAttr)) func(c *exec.Cmd) {
		return func(c *exec.Cmd) { change(c.SysProcAttr) }
	}
	return []hostKind{
		{name: "plain"},
		{name: "SIGCHLD ignored", reaped: true, prepare: func() error { signal.Ignore(unix.SIGCHLD); return nil }},
		{name: "SIGCHLD handled", prepare: func() error {
			all := make(chan os.Signal, 1)
			signal.Notify(all)
			return nil
		}},
		{name: "waits for any child", reaped: true, prepare: func() error { go reapAny(); return nil }},
		{name: "subreaper", prepare: func() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }},
		{name: "process 1", prepare: func() error { return beFirst("") }, start: first},
		{name: "process 1 with hidepid", prepare: func() error { return beFirst("hidepid=2") }, start: first, stops: true},
		{name: "Setsid", cmd: attr(func(a *syscall.SysProcAttr) { a.Setsid = true })},
		{name: "Setpgid", cmd: attr(func(a *syscall.SysProcAttr) { a.Setpgid = true })},
		{name: "Pdeathsig", cmd: attr(func(a *syscall.SysProcAttr) { a.Pdeathsig = unix.SIGKILL })},
		{name: "Credential", cmd: attr(func(a *syscall.SysProcAttr) {
			a.Credential = &syscall.Credential{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid()), NoSetGroups: true}
		})},
		{name: "no SysProcAttr", cmd: func(c *exec.Cmd) { c.SysProcAttr = nil }},
		{name: "a filter of its own", way: "exe", prepare: filtered},
		{name: "MCP_SANDBOX_LAUNCH", way: "exe", prepare: func() error {
			return os.Setenv("MCP_SANDBOX_LAUNCH", "shim")
		}},
	}
}

// first has a host start as process 1 of a pid namespace.
func first(c *exec.Cmd) {
	c.SysProcAttr = testbed.EveryRight(unix.CLONE_NEWPID | unix.CLONE_NEWNS)
	c.SysProcAttr.UidMappings[0].ContainerID = os.Getuid()
	c.SysProcAttr.GidMappings[0].ContainerID = os.Getgid()
	c.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // a host that is root has a shim
}

// reapAny reaps every child of this process, as some hosts do.
func reapAny() {
	children := make(chan os.Signal, 64)
	signal.Notify(children, unix.SIGCHLD)
	for range children {
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

// beFirst is for process 1 of a pid namespace: it gets a /proc of that, and has no rights from then on.
func beFirst(options string) error {
	runtime.LockOSThread()
	if err := unix.Mount("proc", "/proc", "proc", 0, options); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Capset(&header, &none[0]); err != nil {
		return err
	}
	if os.Getpid() != 1 || os.Getenv("NOSHIM_AGAIN") != "" {
		return nil
	}
	return syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), "NOSHIM_AGAIN=1"))
}

func beHost(words []string) int {
	for _, k := range hostKinds() {
		if k.name != words[0] {
			continue
		}
		if k.prepare != nil && os.Getenv("NOSHIM_AGAIN") == "" {
			if err := k.prepare(); err != nil {
				fmt.Println("prepare:", err)
			}
		}
		for _, problem := range k.launches() {
			fmt.Println(problem)
		}
		fmt.Println("done")
		return 0
	}
	return testbed.WrongRole
}

// launches is what a host makes: servers that end, that are ended and that cannot be.
func (k *hostKind) launches() (problems []string) {
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	say := func(format string, of ...any) { problems = append(problems, fmt.Sprintf(format, of...)) }
	for _, c := range []struct {
		path, script string
		code         int
		close        bool
	}{{"/bin/sh", "exit 3", 3, false}, {"/bin/sh", "kill -9 $$", 137, false}, {"/missing/command", "", 127, false},
		{"/bin/sh", "(sleep 1000 &); sleep 1000", 143, true}, {"/bin/sh", "(setsid sleep 1000 &); exit 4", 4, false}} {
		t := launcher.Target{Path: c.path, Args: []string{"-c", c.script}, Dir: "/"}
		sb, err := launcher.Command(ctx, policy.Policy{}, t)
		if err != nil {
			say("%v", err)
			continue
		}
		if k.cmd != nil {
			k.cmd(sb.Cmd)
		}
		if err = sb.Cmd.Start(); err != nil {
			say("%v", err)
			continue
		}
		report, err := sb.Report(ctx)
		if c.close {
			if way := comm(sb.Cmd.Process.Pid); err != nil || way != cmp.Or(k.way, order.ParentName) {
				say("started %q, %v", way, err)
			}
			if k.stops && err == nil {
				stopInit(sb.Cmd.Process.Pid, report.PID)
				c.code = 137
			}
			sb.Close()
		}
		err = sb.Cmd.Wait()
		if got := sb.Cmd.ProcessState.ExitCode(); got != c.code && !(k.reaped && got == -1) {
			say("%s: Cmd.Wait: %d, want %d: %v", c.script, got, c.code, err)
		}
		x, err := sb.Wait(ctx)
		if c.code == 127 {
			if !errors.As(err, new(*launcher.Error)) {
				say("%s: %v", c.path, err)
			}
		} else if err != nil || x.ExitCode != c.code {
			say("%s: %+v, %v, want %d", c.script, x, err, c.code)
		}
	}
	if !testbed.Comes(func() bool { return len(testbed.Children(os.Getpid())) == 0 }) {
		say("children are left: %v", testbed.Children(os.Getpid()))
	}
	return problems
}

// stopInit stops the process between a parent and its server: there are no others, but for threads of the host.
func stopInit(parent, server int) {
	for pid := parent + 1; pid < server; pid++ {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			_ = unix.PidfdSendSignal(fd, unix.SIGSTOP, nil, 0)
			unix.Close(fd)
		}
	}
}

// Hosts of every kind launch without a shim, and each server's end is told right.
func TestHosts(t *testing.T) {
	ordinary(t)
	for _, k := range hostKinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			cmd := testbed.As(aHost, k.name)
			cmd.Env = append(os.Environ(), "MCP_SANDBOX_PATIENCE=20s")
			if k.start != nil {
				k.start(cmd)
			}
			code, out, errs := testbed.Finish(t, cmd)
			if strings.Contains(out, "mount /proc:") {
				t.Skip(out)
			}
			if code != 0 || out != "done\n" {
				t.Errorf("code %d\n%s%s", code, out, errs)
			}
		})
	}
}
