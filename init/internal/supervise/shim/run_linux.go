package shim

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/answers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/trialcalls"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Config is one launch.
type Config struct {
	Order  *order.Order
	Host   int // the socket to the host, or -1; the report goes there too
	Parent int // a pidfd of a process: its end is the host's end; or -1
	// Reached is true where this program has made [Reach] for the order before.
	Reached bool
	Say     func(string) // one line for standard error

	process // where it runs

	// Reaper are the arguments with which this binary calls [Reap]. Without them only confinement full can be reached.
	Reaper []string

	// Hooks, for tests, change the launch.
	Hooks launch.Hooks
	// AlterRepair, for tests, changes the program that lays covers again.
	AlterRepair func(r *layers.Repair)
}

// A process is where a launch runs: this process is a shim, or the host itself.
type process interface {
	open() error      // before anything else
	watchHost() error // once there is a policy
	openStdio() error
	interrupts() []unix.PollFd
	interrupted(polled []unix.PollFd) error
	configure(c *launch.Config)
	check() error // once everything is proved
	register(m *monitor)
	detach() // lets go of the server's streams, once init has them
}

// A shim is one launch under way.
type shim struct {
	Config
	policy  policy.Policy
	machine layers.Machine // as far as it is known before an attempt
	began   time.Time
	sink    report.Sink
	orphans orphans
	launch  *launch.Launch
	monitor *monitor

	enforced *order.Enforced // the first line of the report
	guide    guide
	denied   denials
	network  network
}

// Run starts the server of an order and returns the launcher's exit code when all of it has ended.
func Run(c Config) int {
	s := newShim(c)
	s.process = own{s}
	defer s.restore()
	if c.Order.Probe && c.Host >= 0 {
		// Single calls explain and decide nothing: without an answer the launch that follows is no different.
		if t, err := trialcalls.Run(); err == nil {
			s.sink.NotifyHost(t)
		}
	}
	if err := s.start(); err != nil {
		return s.refuse(err)
	}
	if c.Order.Probe {
		s.monitor.sandbox.Close()
		return 0
	}
	s.supervise()
	return s.finish()
}

func newShim(c Config) *shim {
	s := &shim{Config: c, began: time.Now(), orphans: orphans{hosted: c.Host >= 0},
		monitor: newMonitor(c.Say, c.Order.Quiet, c.AlterRepair)}
	s.denied = denials{Tally: tally.Tally{Report: s.onDenied}, order: c.Order, policy: &s.policy}
	s.network = network{policy: &s.policy, denied: &s.denied.Tally, loop: &s.monitor.loop}
	s.sink = report.Sink{Report: c.Order.ReportFD, Host: c.Host}
	return s
}

// start makes the sandbox, until everything is proved and reported, and the server waits.
func (s *shim) start() error {
	for _, step := range [...]func() error{
		s.open,            // from here on SIGTERM refuses the launch
		s.findDeadlyCalls, // before anything makes one of them
		s.readPolicy,
		s.network.check,
		s.watchHost,
		s.openStdio,
		func() error { return s.network.publish.open(&s.policy, s.Order.Probe) },
		func() error { return reach(s) },
		s.startSandbox, // proved; the server waits
		s.check,
		s.reportEnforced,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// supervise releases the server and stays with it to its end.
func (s *shim) supervise() {
	for _, line := range s.guide.linesAtStart(s.enforced) { // before the server writes to the same standard error
		s.Say(line)
	}
	if !s.Order.Keep { // nothing else reads the evidence again
		s.enforced.Layers, s.monitor.sandbox.Layers = nil, nil
	}
	if v := s.monitor.sandbox.View; !s.Order.Guided && len(v.Covers) == 0 {
		v.Nodes, v.Private = nil, nil
	}
	if s.Order.Guided {
		s.guide.lacks = openLacks(s.monitor.sandbox, s.guide.hasNetwork() || len(s.policy.Network.AllowedDomains) > 0)
	} else if room := launch.TakeRoom(s.monitor.sandbox); room >= 0 {
		unix.Close(room)
	}
	s.detach() // before the server runs: from then on init gives the server its grace when the host ends
	s.monitor.sandbox.Release()
	s.guide.released = time.Now()
	s.denied.again = s.monitor.loop.Timer(func() { s.denied.retry(&s.sink) })
	s.denied.retry(&s.sink)
	s.denied.keep = func() { keep(s.Order, s.sink.Keep, s.enforced) }
	s.monitor.loop.Timer(func() {
		s.denied.keep()
		launch.GiveBack(s.monitor.sandbox)
	}).Set(s.guide.released.Add(keepAfter))
	s.network.register(s.monitor.sandbox.Listener)
	s.monitor.run(s.process, &s.policy)
}

func (s *shim) findDeadlyCalls() (err error) {
	s.machine.Deadly, err = launch.DeadlyCalls()
	if slices.Contains(s.machine.Deadly, unix.SYS_SENDMSG) {
		platform.WithoutSendmsg() // the refusal is still to be written, perhaps to a socket
	}
	return err
}

// readPolicy reads the policy, and chooses the server's ids by it.
func (s *shim) readPolicy() (err error) {
	if s.policy, err = policy.ParseCanonical(s.Order.Policy); err != nil {
		return &order.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	deadly := s.machine.Deadly
	s.machine, err = launch.Identify(&s.policy)
	s.machine.Deadly = deadly
	return err
}

// startSandbox builds and proves the strongest confinement that the machine gives.
func (s *shim) startSandbox() error {
	m := s.monitor
	if err := launch.CheckProc(); err != nil {
		return err
	}
	standards, err := m.stdio.Standards()
	if err != nil {
		return err
	}
	c := launch.Config{Order: s.Order, Policy: s.policy, Machine: s.machine,
		Stdio:     launch.Stdio{FDs: m.stdio.Server, Standards: standards, TTY: s.Order.TTY || m.stdio.Terminal.Given},
		Interrupt: launch.Interrupt{FDs: s.interrupts(), Check: s.interrupted},
		Denied:    &s.denied.Tally, Hooks: s.Hooks,
		Network: launch.Network{Egress: s.network.serve, Pairs: s.network.servePairs}}
	s.configure(&c)
	s.launch = launch.New(c)
	if m.sandbox, err = s.launch.Start(); err != nil {
		return err
	}
	m.group.Group = s.launch.Group
	m.group.denied, m.group.pids = s.onDenied, cmp.Or(s.Order.NameOf("limits.pids"), "limits.pids")
	m.stdio.CloseServerEnds()
	return nil
}

// restore undoes the changes of the server and the shim to the user's terminals, and removes the control group.
func (s *shim) restore() {
	s.network.publish.Close()
	if s.launch != nil {
		s.monitor.group.close()
		s.launch.Close()
	}
	if t := s.monitor.stdio; t != nil {
		t.Terminal.Restore()
		t.Terminal.Leave()
	}
}

// Foreseen is the result of tell for a launch that is planned and never started, or the error that [Run] would say.
func Foreseen[T any](o *order.Order, tell func(*launch.Launch) (T, error)) (told T, err error) {
	l, err := foresee(o)
	if err == nil {
		told, err = tell(l)
	}
	if err != nil {
		err = report.Foresee(o, err, refused(o, err).Hint)
	}
	return told, err
}

// foresee prepares a launch that is not started.
func foresee(o *order.Order) (*launch.Launch, error) {
	s := &shim{Config: Config{Order: o, Parent: -1}}
	reach := func() error { return ask(answers.Mounts(), o, &s.policy, answers.Wait{Timeout: reachTimeout}) }
	for _, step := range [...]func() error{s.findDeadlyCalls, s.readPolicy, reach} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	given := stdioAsGiven()
	standards, err := given.Standards()
	if err != nil {
		return nil, err
	}
	return launch.New(launch.Config{Order: o, Policy: s.policy, Machine: s.machine,
		Stdio: launch.Stdio{FDs: given.Server, Standards: standards, TTY: o.TTY || given.Terminal.Given}}), nil
}
