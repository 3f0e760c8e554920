package endings_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	launches "github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// What this test binary is under another name: mcp-sandbox-init, or a host that starts one of the two kinds of
// launchers.
const (
	programName = "endings.test init"
	hostName    = "endings.test host"
)

func TestMain(m *testing.M) {
	host.Main(testbed.Roles{programName: program, hostName: beHost})
	flag.Parse()
	flag.Set("test.parallel", "20") // most of a test's time goes by waiting
	os.Exit(testbed.Run(m))
}

// A launch is what a test asks a launcher for.
type launch struct {
	host.Launch          // whose Begin is not for an embedded launcher
	Embedded    bool     // by a Go host; else mcp-sandbox-init
	Through     []string // the words of a command that starts mcp-sandbox-init
	Stdin       *os.File `json:"-"` // instead of a pipe

	// Forks has the host fork children that execute nothing, before it starts the launcher and after: they keep every
	// descriptor of its. It says their process ids.
	Forks bool

	// Without takes one of init's two ways to end with the shim away: "lifeline" or "pdeathsig".
	Without string
}

// of is the launch of a server by mcp-sandbox-init.
func of(command []string) launch { return launch{Launch: host.Launch{Command: command}} }

func (l *launch) encode() string {
	b, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

func decode(text string) (l launch, p policy.Policy) {
	err := json.Unmarshal([]byte(text), &l)
	if err == nil {
		p, err = policy.Parse([]byte(l.Policy))
	}
	if err != nil {
		println(err.Error())
		os.Exit(testbed.WrongRole)
	}
	return l, p
}

// program does what mcp-sandbox-init does, with a report on descriptor 3.
func program(words []string) int {
	l, _ := decode(words[0])
	o, err := l.Build()
	if err != nil {
		println(err.Error())
		return testbed.WrongRole
	}
	if l.Without == "" {
		return reexec.Run(o)
	}
	parent, err := unix.PidfdOpen(os.Getppid(), 0)
	if err != nil {
		return testbed.WrongRole
	}
	return shim.Run(shim.Config{Order: o, Host: -1, Parent: parent, Say: reexec.Say, Hooks: launches.Hooks{Program: l.alter}})
}

// alter changes the loop that init begins when all evidence is given: so nothing misses what is taken away.
func (l *launch) alter(p *layers.Layout, whole bool) {
	if !whole {
		return
	}
	// find looks for a call from the Op at i on, or back.
	find := func(i, step int, call string) int {
		for ; i >= 0 && i < p.Len(); i += step {
			if strings.Contains(p.Line(i, nil), call) {
				return i
			}
		}
		println("no " + call)
		os.Exit(testbed.WrongRole)
		return 0
	}
	signals := find(p.Len()-1, -1, "signalfd4(")
	if strings.Contains(l.Without, "lifeline") {
		loop := find(signals, 1, "read(4") // the lifeline
		p.SetArg(loop, 0, ^uint64(0))      // EBADF is not its end
		poll := find(signals, 1, "ppoll(")
		p.SetArg(poll, 0, p.Arg(poll, 0)+8) // the second descriptor alone: children that ended
		p.SetArg(poll, 1, 1)
	}
	if strings.Contains(l.Without, "pdeathsig") {
		i := find(signals, -1, "close_range(")
		p.SetCall(i, unix.SYS_PRCTL)
		p.SetArg(i, 0, unix.PR_SET_PDEATHSIG)
		p.SetArg(i, 1, 0)
	}
}

// beHost starts a launcher, hands it all that it was given itself, and waits: for the test to kill it.
func beHost(words []string) int {
	l, p := decode(words[0])
	signal.Ignore(syscall.SIGTERM)
	cmd := testbed.As(programName, words...)
	if l.Embedded {
		sb, err := launcher.Command(context.Background(), p, launcher.Target{Path: l.Command[0], Args: l.Command[1:]})
		if err != nil {
			println(err.Error())
			return testbed.WrongRole
		}
		cmd = sb.Cmd
		cmd.Env = append(cmd.Env, testbed.NoWait)
	} else {
		cmd.ExtraFiles = []*os.File{os.NewFile(host.ReportFD, "report")}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if l.Forks {
		os.Stdout.WriteString(strconv.Itoa(fork()) + "\n")
	}
	if err := cmd.Start(); err != nil {
		println(err.Error())
		return testbed.WrongRole
	}
	if l.Forks {
		os.Stdout.WriteString(strconv.Itoa(fork()) + "\n")
	}
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// fork makes a child that executes nothing, as a library in C does: it waits, for somebody to kill it.
//
//go:norace
func fork() (pid int) {
	// None of the runtime may run in it: it has only this thread.
	r, _, _ := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	if r == 0 { // but for these two, whose ends the test waits for
		syscall.RawSyscall(syscall.SYS_CLOSE, 1, 0, 0)
		syscall.RawSyscall(syscall.SYS_CLOSE, 2, 0, 0)
	}
	for r == 0 {
		syscall.RawSyscall(syscall.SYS_PPOLL, 0, 0, 0)
	}
	return int(r)
}
