package shim_test

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	launches "github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// shimName is argument 0 of this test binary when it is the shim of a test.
const shimName = "shim.test shim"

// Exit codes of a shim whose test is wrong; the launcher has none of them.
const (
	exitWrong   = testbed.WrongRole
	exitAnother = 71 // the Op that was to be altered is not where it was
)

func TestMain(m *testing.M) {
	testbed.Roles{shimName: runShim, reaperName: func([]string) int { return shim.Reap() }, parentName: reapChild,
		attemptFlag: try, levelFlag: tryLevel, actFlag: actAll, domainsFlag: tryDomains, floodFlag: flood}.Play()
	states, err := os.MkdirTemp("", "mcp-sandbox-states-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", states)
	os.Setenv("XDG_DATA_HOME", states)
	code := testbed.Run(m)
	os.RemoveAll(states)
	os.Exit(code)
}

// A launch is what a test tells its shim. With TTY standard input is the terminal of the shim's own session, as pty.Start
// makes it.
type launch struct {
	host.Launch
	Env []string // of the server
	Dir string

	// Line and Op name a call of the program: no two launches of one policy may differ. Flags are taken out of its first
	// argument; without any the call is replaced by one that does nothing.
	Line    string
	Op      int
	Flags   uint64
	altered *layers.Layout
	Verbose bool
	Also    []int // further calls that are replaced
	ABI     int   // of Landlock at most; 0: the machine's, -1: none
	Umask   int   // the launcher's; 0: 027
	Files   int   // the launcher's limit of open files; 0: what the test has
	List    bool  // write the program to descriptor 4 when it has run

	Swap   string   // a path that something else takes the place of between the plan and the program
	Change []string // write there which changes of the evidence are not noticed; the names of the rows

	Once    string // alters the calls around the one execve: "pend", "refuse" or "stuck"
	Sockets string // a file: whether it is there at Begin of what serves the sockets
	Break   bool   // replace the call that covers a file again by one that does nothing
	Late    string // a file that the host puts in the place of a denied one between a repair's look at it and its cover

	Hosted bool // descriptor 5 is a pidfd of the process whose end is the host's

	Elsewhere bool          // the server's process is made beside init, and not in its group
	Stuck     bool          // the runner sleeps and makes no init
	Timeout   time.Duration // until the evidence is complete; 0: what a launch has
	Unknown   int           // a call that is replaced by one that no kernel knows; 0: none
	Wrong     int           // a mount whose options are replaced by its source's name, which no file system knows; 0: none

	change func(*exec.Cmd) // before the shim is started
}

const reportFD, listFD = 3, 4

func runShim(words []string) int {
	runtime.LockOSThread() // as reexec.Init does: init dies with this thread
	var l launch
	if json.Unmarshal([]byte(words[0]), &l) != nil {
		return exitWrong
	}
	unix.CloseOnExec(listFD)
	unix.Umask(cmp.Or(l.Umask, 0o27)) // or nobody would notice that it matters
	l.limitFiles()
	o, err := l.order()
	if err != nil {
		println(err.Error())
		return exitWrong
	}
	var made *layers.Layout
	code := shim.Run(shim.Config{Order: o, Host: -1, Parent: l.parent(),
		Hooks: launches.Hooks{
			Timeout:  l.Timeout,
			Egress:   l.serve,
			Program:  func(p *layers.Layout, whole bool) { made = p; l.alter(p, whole) },
			Machine:  l.alterMachine,
			View:     l.alterView,
			Evidence: l.alterEvidence,
		},
		AlterRepair: l.alterRepair, Reaper: []string{reaperName},
		Say: func(s string) { os.Stderr.WriteString(s + "\n") }})
	if l.List && made != nil {
		write(made)
	}
	return code
}

func (l *launch) alter(p *layers.Layout, whole bool) {
	if l.Swap != "" && whole {
		swap(l.Swap)
	}
	if l.Wrong != 0 && whole {
		p.SetArg(l.Wrong, 4, p.Arg(l.Wrong, 0))
	}
	l.alterFirst(p, whole)
	if l.Elsewhere && whole {
		bearElsewhere(p)
	}
	if l.Stuck && !whole {
		p.SetCall(0, unix.SYS_PPOLL)
		for i := range 5 {
			p.SetArg(0, i, 0)
		}
	}
	if l.Once != "" && whole {
		l.alterOnce(p)
	}
	if l.Line == "" || l.altered == p || l.Op >= p.Len() && !whole {
		return
	}
	again := l.altered != nil
	l.altered = p
	was, _, _ := strings.Cut(l.Line, "(") // addresses differ with the length of the command
	if l.Op >= p.Len() || !strings.HasPrefix(p.Line(l.Op, nil), was) {
		if again {
			return // the launch without sockets that follows a refused one is another program
		}
		println(p.Line(l.Op, nil))
		os.Exit(exitAnother)
	}
	if l.Flags != 0 {
		p.SetArg(l.Op, 0, p.Arg(l.Op, 0)&^l.Flags)
		return
	}
	p.Disarm(l.Op)
	for _, i := range l.Also {
		p.Disarm(i)
	}
}

// An outcome is all that a launch left behind.
type outcome struct {
	code           int // 128 and more: the shim itself was killed
	report         []map[string]any
	stdout, stderr string
	list           []op
	tried          answer
}

// start starts a shim; done waits for it and gathers what it left.
func start(tb testing.TB, l launch, stdin io.Reader) (cmd *exec.Cmd, under *host.Run, done func() outcome) {
	tb.Helper()
	request, err := json.Marshal(l)
	if err != nil {
		tb.Fatal(err)
	}
	cmd = testbed.As(shimName, string(request))
	cmd.Stdin, cmd.Dir = stdin, testbed.Scratch(tb) // what a launch makes whose mounts were taken away
	if l.TTY {
		master, slave, err := pty.Open()
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { master.Close(); slave.Close() })
		cmd.Stdin = slave
	}
	lists, listTo := pipe(tb)
	cmd.ExtraFiles = []*os.File{listTo}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: l.TTY, Setctty: l.TTY}
	if os.Geteuid() == 0 { // with groups that the server must not have
		cmd.SysProcAttr.Credential = &syscall.Credential{Groups: []uint32{0, 12345}}
	}
	if l.change != nil {
		l.change(cmd)
	}
	under = host.Start(tb, cmd)
	listTo.Close()
	hangs := time.AfterFunc(l.timeLimit(), func() { cmd.Process.Kill() })
	return cmd, under, func() outcome {
		defer hangs.Stop()
		defer lists.Close()
		var o outcome
		if l.Change != nil {
			json.NewDecoder(lists).Decode(&o.tried)
		} else {
			json.NewDecoder(lists).Decode(&o.list)
		}
		under.Wait()
		for _, line := range under.Lines {
			var r map[string]any
			if err := json.Unmarshal(line, &r); err != nil {
				tb.Fatal(err)
			}
			o.report = append(o.report, r)
		}
		if o.code = under.Code; o.code < 0 {
			o.code = 128
		}
		o.stdout, o.stderr = under.Stdout.String(), under.Stderr.String()
		return o
	}
}

func run(tb testing.TB, l launch) outcome {
	tb.Helper()
	_, _, done := start(tb, l, nil)
	return done()
}
