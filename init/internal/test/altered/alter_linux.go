package altered

import (
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// alterOnce alters a program so that what is rare happens: a SIGTERM that waits when the mask opens, a machine that
// forbids tracing, a stop that init does not end.
func (l *Launch) alterOnce(p *layers.Layout) {
	var found []int // ptrace: TRACEME in the server's process; SETOPTIONS, CONT, CONT in init
	trial := -1
	for i := range p.Len() {
		switch line := p.Line(i, nil); {
		case strings.Contains(line, "ptrace("):
			found = append(found, i)
		case strings.Contains(line, "execve(") && trial < 0:
			trial = i
		}
	}
	if trial < 0 || len(found) < 4 {
		os.Exit(exitAnother)
	}
	switch l.Once {
	case "pend":
		p.SetArg(trial+1, 1, uint64(unix.SIGTERM)) // instead of the SIGSTOP
	case "refuse": // init may not be traced by the server's process, which this asks for
		p.SetArg(found[0], 0, unix.PTRACE_ATTACH)
		p.SetArg(found[0], 1, 1)
	case "stuck": // what would let it go on takes the stop instead, and init waits for another
		p.SetCall(found[3], unix.SYS_WAITID)
		p.SetArg(found[3], 0, unix.P_PID)
		p.SetArg(found[3], 3, unix.WEXITED)
	}
}

// Swap exchanges a path with its neighbour that has ".other" behind its name.
func Swap(path string) {
	if unix.Renameat2(unix.AT_FDCWD, path, unix.AT_FDCWD, path+".other", unix.RENAME_EXCHANGE) != nil {
		os.Exit(exitAnother)
	}
}

// alterFirst makes the call Unknown one that no kernel knows, and waits until init has ended by that.
func (l *Launch) alterFirst(p *layers.Layout, whole bool) {
	if l.Unknown == 0 || l.Unknown >= p.Len() {
		return
	}
	p.SetCall(l.Unknown, 0xfff)
	if whole && os.Geteuid() != 0 { // root's init makes none before its program is whole
		testbed.Comes(func() bool {
			lives := func(pid int) bool { return testbed.State(pid) != "Z" }
			return !slices.ContainsFunc(testbed.Children(os.Getpid()), lives)
		})
	}
}

// alterRepair takes the effect of a repair away, or has it come too late.
func (l *Launch) alterRepair(r *layers.Repair) {
	if l.Late != "" {
		os.Rename(l.Late, strings.TrimSuffix(l.Late, ".late")) // once: then there is none
	}
	for i := range r.Len() {
		line := r.Line(i, nil)
		if l.Break && strings.Contains(line, "move_mount(") && !strings.Contains(line, `"/dev"`) {
			r.Disarm(i)
		}
	}
}

func (l *Launch) alterMachine(m *layers.Machine) {
	if l.ABI != 0 {
		m.LandlockABI = min(m.LandlockABI, max(l.ABI, 0))
	}
}

// limitFiles limits how many files this shim may have open.
func (l *Launch) limitFiles() {
	if n := uint64(l.Files); n > 0 && unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}) != nil {
		os.Exit(ExitWrong)
	}
}

// parent is the shim's pidfd of that host, or -1.
func (l *Launch) parent() int {
	const fd = ListFD + 1
	if !l.Hosted {
		return -1
	}
	unix.CloseOnExec(fd)
	return fd
}

// born is the call that makes the server's process in its group, or -1.
func born(p *layers.Layout) int {
	for i := range p.Len() {
		if strings.Contains(p.Line(i, nil), " clone3(") {
			return i
		}
	}
	return -1
}

func bearElsewhere(p *layers.Layout) {
	i := born(p)
	if i < 0 {
		os.Exit(exitAnother)
	}
	p.SetCall(i, unix.SYS_CLONE)
	p.SetArg(i, 0, uint64(unix.SIGCHLD))
	p.SetArg(i, 1, 0)
}

// timeLimit is longer with a shim that compares thousands of times.
func (l *Launch) timeLimit() time.Duration {
	return testbed.Patience() * time.Duration(1+9*min(1, len(l.Change)))
}
