package altered

import (
	"cmp"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	launches "github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// shimName is argument 0 of this test binary when it is the shim of a test.
const shimName = "shim.test shim"

// reaperName is that of the process that ends what a dead shim has left.
const reaperName = "shim.test reaper"

// Exit codes of a shim whose test is wrong; the launcher has none of them.
const (
	ExitWrong   = testbed.WrongRole
	exitAnother = 71 // the Op that was to be altered is not where it was
)

// Main ends this process as the shim, as its reaper, or in one of the test's own roles. Else it returns. Evidence gets
// what a launch with Change brought back, before that is compared.
func Main(own testbed.Roles, evidence func(*Launch, *layers.Layout, *layers.Evidence)) {
	own[shimName] = func(words []string) int { return runShim(words, evidence) }
	own[reaperName] = func([]string) int { return shim.Reap() }
	own.Play()
	testbed.Waiting()
}

// Tests runs the tests, with a folder of their own for what lasts.
func Tests(m *testing.M) int {
	testbed.Machines() // executes what leaves no folder behind
	states, err := os.MkdirTemp("", "mcp-sandbox-states-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(states)
	os.Setenv("XDG_STATE_HOME", states)
	os.Setenv("XDG_DATA_HOME", states)
	return testbed.Run(m)
}

// ListFD is where a shim writes its program to, or what it tried with the evidence.
const ListFD = 4

const reportFD = 3

func runShim(words []string, evidence func(*Launch, *layers.Layout, *layers.Evidence)) int {
	runtime.LockOSThread() // as reexec.Init does: init dies with this thread
	var l Launch
	if json.Unmarshal([]byte(words[0]), &l) != nil {
		return ExitWrong
	}
	unix.CloseOnExec(ListFD)
	unix.Umask(cmp.Or(l.Umask, 0o27)) // or nobody would notice that it matters
	l.limitFiles()
	o, err := l.order()
	if err != nil {
		println(err.Error())
		return ExitWrong
	}
	var made *layers.Layout
	hooks := launches.Hooks{
		Timeout: l.Timeout,
		Egress:  l.serve,
		Program: func(p *layers.Layout, whole bool) {
			if made = p; whole {
				l.panics("program")
			}
			l.alter(p, whole)
		},
		Machine: l.alterMachine,
		View:    l.alterView,
		Evidence: func(p *layers.Layout, e *layers.Evidence) {
			l.panics("evidence")
			if evidence != nil && (l.Change != nil || l.Whole) {
				evidence(&l, p, e)
			}
		},
	}
	if l.NoShim {
		return l.runHosted(o, hooks, &made)
	}
	code := shim.Run(shim.Config{Order: o, Host: -1, Parent: l.parent(), Hooks: hooks,
		AlterRepair: l.alterRepair, Reaper: []string{reaperName},
		Say: func(s string) { os.Stderr.WriteString(s + "\n") }})
	if l.List && made != nil {
		write(made)
	}
	return code
}

func (l *Launch) alter(p *layers.Layout, whole bool) {
	if l.Swap != "" && whole {
		Swap(l.Swap)
	}
	if l.Wrong != 0 && whole {
		p.SetArg(l.Wrong, 4, p.Arg(l.Wrong, 0))
	}
	l.alterFirst(p, whole)
	if l.Elsewhere && whole {
		bearElsewhere(p)
	}
	if l.Stuck && !whole {
		sleep(p, 0)
	}
	if l.Stall > 0 && l.Stall < p.Len() {
		sleep(p, l.Stall)
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

// sleep has a process sleep for ever in place of a call.
func sleep(p *layers.Layout, call int) {
	p.SetCall(call, unix.SYS_PPOLL)
	for i := range 5 {
		p.SetArg(call, i, 0)
	}
}
