package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/covers"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/internal/stdio"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Config is one launch.
type Config struct {
	Order  *order.Order
	Host   int          // the socket to the host, or -1; the report goes there too
	Parent int          // a pidfd of the process whose end is the host's end, or -1
	Say    func(string) // one line for standard error

	// Reaper are the arguments with which this binary calls [Reap]. Without them only confinement full can be reached.
	Reaper []string

	// Timeout, for tests, is how long a launch may take until its evidence is complete; 0: 30 s.
	Timeout time.Duration
	// Alter, for tests, changes the program: its beginning before the runner starts, and the whole before init goes on.
	Alter func(l *confine.Launch, whole bool)
	// AlterRepair, for tests, changes the program that lays covers again.
	AlterRepair func(r *confine.Repair)
	// AlterMachine, for tests, changes what was found out about the machine.
	AlterMachine func(m *confine.Machine)
	// AlterEvidence, for tests, changes what came back before it is compared.
	AlterEvidence func(l *confine.Launch, e *confine.Evidence)
}

// A shim is one launch under way.
type shim struct {
	Config
	policy    policy.Policy
	rung      policy.Confinement // the confinement that is tried, and in the end the one that is reached
	noFilter  bool               // the kernel has no seccomp, and the rung does without
	bare      bool               // full is taken without a /proc of its own, for nothing below it holds
	refused   []*order.Refusal   // why stronger ones were not, the strongest first
	view      *fsview.View
	machine   confine.Machine
	launch    *confine.Launch
	private   privdir.Dir
	strangers []int // children of this process that are not the sandbox's
	image     int   // of this binary, which init executes when the shim is gone; -1 if it does not have to
	sink      report.Sink
	asks      int // reads as the numbers of the signals that came and ask for the end
	signals   int // the same of the others

	began       time.Time
	lifeline    int // init lives as long as this is open; a byte is a signal
	up          int
	release     int
	outer       int // pid of the runner that clones init, or 0 once it has been reaped
	outerStatus unix.WaitStatus
	outerErr    error // why it was waited for no longer
	init        int   // pid
	initFD      int   // pidfd
	server      int   // pid, in the shim's namespace

	loop    loop.Loop
	sources sources

	end      ending.Ending
	appeared covers.Appeared

	covers   *covers.Watcher // nil where nothing is covered
	renames  flood           // of SIGIO
	resized  flood           // of SIGWINCH
	listener *notify.Listener
	group    group

	standard [3]confine.Standard // what this process has as standard input, output and error
	stdio    *stdio.Streams      // what the server gets; nil until then
}

// Run starts the server of an order and returns the launcher's exit code when all of it has ended.
func Run(c Config) int {
	s := &shim{Config: c, began: time.Now(), lifeline: -1, init: -1, initFD: -1,
		group: group{forks: -1}, image: -1}
	s.listener = s.newListener()
	defer s.restoreTerminals()
	defer s.leaveGroup()
	s.sink = report.Sink{Report: c.Order.ReportFD, Host: c.Host}
	s.tries()
	var err error
	if err = s.listen(); err == nil {
		err = s.prepare()
	}
	var enforced *order.Enforced
	if err == nil {
		enforced, err = s.descend()
	}
	if err == nil {
		err = s.hosted()
	}
	if err == nil {
		s.tellLowered()
		err = s.sink.First(enforced)
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

// prepare reads the order and decides what does not depend on the confinement.
func (s *shim) prepare() error {
	err := s.findDeadly() // before anything makes one of those calls
	if err != nil {
		return err
	}
	o := s.Order
	if s.policy, err = policy.ParseCanonical(o.Policy); err != nil {
		return &order.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	if err = s.wakeWithHost(); err != nil {
		return err
	}
	if err = s.checkStdio(); err != nil {
		return err
	}
	if err = ownProc(); err != nil {
		return &order.Refusal{Layer: order.Namespaces, Op: diagnose.OpProc, Path: "/proc", Err: err}
	}
	if err = identify(&s.machine, &s.policy); err != nil {
		return &order.Refusal{Layer: order.Namespaces, Op: "find out the ids", Err: err}
	}
	return s.openStdio()
}

// plan looks at the machine and works out what the server will see.
func (s *shim) plan() (err error) {
	if err = look(&s.machine, s.rung); err != nil {
		return &order.Refusal{Layer: order.Namespaces, Op: diagnose.OpLook, Err: err}
	}
	if s.AlterMachine != nil {
		s.AlterMachine(&s.machine)
	}
	if err = s.reachable(); err != nil {
		return err
	}
	if s.view, err = fsview.Plan(s.viewRequest()); err != nil {
		return refusedView(err)
	}
	if err = s.holds(); err != nil {
		return err
	}
	if !s.group.Made() { // or an attempt before this one has
		s.makeGroup()
	}
	return nil
}

func (s *shim) viewRequest() fsview.Request {
	o := s.Order
	return fsview.Request{Policy: s.policy, Command: o.Command, Env: o.Env, Dir: o.Dir,
		Own:        []string{o.PolicyFile, o.ReportFile, o.Launcher},
		Identity:   fsview.Identity{UID: s.machine.UID, GID: s.machine.GID, Root: s.machine.Root},
		Neighbours: s.neighbours(),
		HostNet:    s.policy.Level == policy.LevelNetwork, Shared: s.shared(), Private: s.private.Path,
		Open: s.shared() && s.rung != policy.Reduced}
}

// start starts the runner on a program of which only the beginning is there. It gets more descriptors besides its own.
func (s *shim) start(more []int) error {
	fd, mem, err := program.Open()
	if err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "program", Err: err}
	}
	defer unix.Close(fd)
	s.launch = confine.NewLaunch(mem, &s.policy, s.rung, s.noFilter)
	if s.Alter != nil {
		s.Alter(s.launch, false)
	}
	return s.startRunner(fd, more)
}

// lay writes the rest of the program.
func (s *shim) lay() error {
	filter, asking, err := s.assemble()
	if err != nil {
		return &order.Refusal{Layer: order.Seccomp, Op: "assemble", Err: err}
	}
	standards, err := s.stdio.Standards()
	if err != nil {
		return err
	}
	if err = s.launch.Complete(&confine.Request{Policy: s.policy, View: s.view, Machine: s.machine, Env: s.env(), Group: s.group.Group, Filter: filter, Asking: asking,
		Lost: s.why(), Reaper: s.Reaper, HostGrace: s.hostGrace(), Stdio: standards, TTY: s.Order.TTY || s.stdio.Terminal.Given}); err != nil {
		return &order.Refusal{Layer: order.Policy, Op: "lay out", Err: err}
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
	// Resume init before reaping the runner, so both proceed in parallel. Exceptions: a root launcher writes the id map, and
	// cover watching opens init's namespaces while init is dumpable. Both need init's pid first.
	if s.init > 0 {
		return s.letGo()
	}
	if s.machine.Root || len(s.view.Covers) > 0 {
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
