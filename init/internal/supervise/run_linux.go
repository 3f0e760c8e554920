package supervise

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Exit codes of the launcher itself; the server's own are passed on.
const (
	ExitTimeout = 124
	ExitSandbox = 125
	ExitCannot  = 126
	ExitMissing = 127
	exitSignal  = 128 // plus the signal's number
)

// A Config is one launch.
type Config struct {
	Order  *order.Order
	Host   int          // the socket to the host, or -1; the report goes there too
	Parent int          // a pidfd of the process whose end is the host's end, or -1
	Say    func(string) // one line for standard error

	// Alter, for tests, changes the program: its beginning before the runner starts, and the whole before init goes on.
	Alter func(l *rows.Launch, whole bool)
	// AlterRepair, for tests, changes the program that lays covers again.
	AlterRepair func(r *rows.Repair)
}

// A shim is one launch under way.
type shim struct {
	Config
	policy  policy.Policy
	view    *view.View
	machine rows.Machine
	launch  *rows.Launch
	sink    sink
	signals int // reads as the numbers of the signals that came

	began    time.Time
	lifeline int // init lives as long as this is open; a byte is a signal
	up       int
	release  int
	outer    int // pid of the runner that clones init
	init     int // pid
	initFD   int // pidfd
	server   int // pid, in the shim's namespace

	end   ending
	stdin stdin

	lookout lookout

	stdio    stdio
	terminal terminal
}

// Run starts the server of an order and returns the launcher's exit code when all of it has ended.
func Run(c Config) int {
	s := &shim{Config: c, began: time.Now(), lifeline: -1, init: -1, initFD: -1, stdin: stdin{fd: -1}, lookout: noLookout(),
		terminal: terminal{hangup: -1, user: -1}}
	defer s.terminal.leave()
	s.sink = sink{report: c.Order.ReportFD, host: c.Host}
	var err error
	if s.signals, err = listen(); err == nil {
		err = s.prepare()
	}
	if err == nil {
		err = s.confine()
	}
	var enforced *order.Enforced
	if err == nil {
		enforced, err = s.prove()
	}
	if err == nil {
		err = s.sink.first(enforced)
	}
	if err == nil && c.Order.Probe {
		s.abandon()
		return 0
	}
	if err == nil {
		err = s.letGo()
	}
	if err != nil {
		s.abandon()
		return s.refuse(err)
	}
	s.warn(enforced)
	s.watch()
	return s.finish()
}

// prepare reads the order, starts a runner whose init waits, and plans the launch while the kernel makes the namespaces.
// A root launcher hands init the grants it opened, so there the runner is started when the plan is made.
func (s *shim) prepare() error {
	var err error
	o := s.Order
	if s.policy, err = policy.Parse(o.Policy); err != nil {
		return &rows.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	if err = checkStdio(); err != nil {
		return err
	}
	if err = identify(&s.machine, &s.policy); err != nil {
		return &rows.Refusal{Layer: order.Namespaces, Op: "find out the ids", Err: err}
	}
	if err = s.route(); err != nil {
		return err
	}
	if !s.machine.Root {
		if err = s.start(nil); err != nil {
			return err
		}
	}
	if err = look(&s.machine); err != nil {
		return &rows.Refusal{Layer: order.Namespaces, Op: "look at the machine", Err: err}
	}
	if s.view, err = view.Plan(s.viewRequest()); err != nil {
		return refusedView(err)
	}
	if !s.machine.Root {
		return nil
	}
	trees, err := s.openTrees()
	defer closeAll(trees)
	if err != nil {
		return err
	}
	return s.start(trees)
}

func (s *shim) viewRequest() view.Request {
	o := s.Order
	return view.Request{Policy: s.policy, Command: o.Command, Env: o.Env, Dir: o.Dir, PolicyFile: o.PolicyFile,
		ReportFile: o.ReportFile, Launcher: o.Launcher, UID: s.machine.UID, GID: s.machine.GID, Root: s.machine.Root,
		HostNet: s.policy.Level == policy.LevelNetwork}
}

// start starts the runner on a program of which only the beginning is there.
func (s *shim) start(trees []int) error {
	fd, mem, err := program.Open()
	if err != nil {
		return &rows.Refusal{Layer: order.Exec, Op: "program", Err: err}
	}
	defer unix.Close(fd)
	s.launch = rows.Begin(mem, &s.policy)
	if s.Alter != nil {
		s.Alter(s.launch, false)
	}
	return s.startRunner(fd, trees)
}

// lay writes the rest of the program.
func (s *shim) lay() error {
	filter, err := s.assemble()
	if err != nil {
		return &rows.Refusal{Layer: order.Seccomp, Op: "assemble", Err: err}
	}
	if err = s.launch.Lay(&rows.Request{Policy: s.policy, View: s.view, Machine: s.machine, Env: s.env(), Filter: filter,
		TTY: s.Order.TTY || s.terminal.given}); err != nil {
		return &rows.Refusal{Layer: order.Policy, Op: "lay out", Err: err}
	}
	return nil
}

// confine lays the rest of the program out and lets init go on with it.
func (s *shim) confine() error {
	err := s.lay()
	if err != nil {
		return err
	}
	if s.Alter != nil {
		s.Alter(s.launch, true)
	}
	// Init works while its parent's end is waited for. A root launcher has to know its number before; and so has a lookout,
	// as long as init can be looked into.
	if s.machine.Root || s.covering() {
		if err = s.adopt(); err != nil {
			return err
		}
		return s.letGo()
	}
	// Where the runner could not clone, nobody waits to be let go; what it stored says why.
	gone := s.letGo()
	if err = s.adopt(); err != nil {
		return err
	}
	return gone
}

// env is the server's environment, with the home that it really has.
func (s *shim) env() []string {
	env := make([]string, 0, len(s.Order.Env)+1)
	for _, v := range s.Order.Env {
		if !strings.HasPrefix(v, "HOME=") {
			env = append(env, v)
		}
	}
	return append(env, "HOME="+s.view.Home)
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
