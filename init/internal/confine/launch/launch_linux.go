package launch

import (
	"cmp"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/ladder"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Config is one launch.
type Config struct {
	Order   *order.Order
	Policy  policy.Policy  // the order's
	Machine layers.Machine // of [Identify], with the umask and the deadly calls
	Stdio   Stdio
	Host    Host

	Reaper    []string  // the arguments with which this binary becomes the reaper of a sandbox without a pid namespace
	Process   Process   // nil: this process is not the launch's own, and only confinement full can be reached
	Interrupt Interrupt // ends the launch from outside
	Covers    Covers    // nil: the covers are not watched

	Denied *tally.Tally // of the refused calls
	Network
	Hooks Hooks
}

// A Network answers the requests of servers with allowed domains.
type Network struct {
	Egress Egress // nil: the sockets that init has opened are closed
	Pairs  Pairs  // nil: a server without a network namespace has no sockets
}

// Stdio is the server's standard input, output and error.
type Stdio struct {
	FDs       [3]int
	Standards [3]layers.Standard // the files of the descriptors
	TTY       bool               // standard input is a terminal without a session, which becomes the server's
}

// A Host is the process whose end is the end of the sandbox.
type Host struct {
	PIDFD int
	Grace time.Duration // after which init ends everything, once the host has ended; 0: init does not watch the host

	Parent *Parent // in a host's process; nil: this process starts a runner, and is init's parent
}

// A Process makes a launch's changes to the process that runs the launch.
type Process interface {
	// AdoptOrphans makes the process the parent of the processes that an init without a pid namespace leaves behind.
	AdoptOrphans(policy.Confinement) error
	// SweepOrphans ends and reaps those, and returns how many it killed and the resources that they used.
	SweepOrphans() (killed int, used unix.Rusage)
	// ReapChildren reaps any child that ends within timeout.
	ReapChildren(timeout time.Duration)
}

// An Interrupt ends a launch from outside.
type Interrupt struct {
	FDs []unix.PollFd
	// Check is called after each poll, with FDs as polled, or with none. An error ends the launch.
	Check func(polled []unix.PollFd) error
	Poll  func(fds []unix.PollFd, milliseconds int) (int, error) // nil: poll(2)
}

// Covers watches the covers of a sandbox that has some.
type Covers interface {
	// Open is called while init's namespaces can be opened: later init is not dumpable.
	Open(*Sandbox) error
	// Watch is called before init's table of mounts, an open file of the caller's, is read and compared.
	Watch(s *Sandbox, table int) (warnings []string, err error)
	// Close ends the watch of a sandbox that is given up.
	Close()
}

// Hooks, for tests, change a launch.
type Hooks struct {
	Timeout time.Duration // until the evidence is complete; 0: 30 s
	Egress  Egress        // instead of that of the Config
	// Program is called when the program has its beginning, when it has the calls that init makes during the plan, if
	// any, and again when it is whole.
	Program  func(l *layers.Layout, whole bool)
	Machine  func(*layers.Machine)
	View     func(*fsview.Request)
	Evidence func(*layers.Layout, *layers.Evidence)
}

// launchTimeout is how long a launch may take until its evidence is complete.
const launchTimeout = 30 * time.Second

// A Launch is the state that its attempts share.
type Launch struct {
	Config
	Ladder ladder.Ladder
	Group  *cgroup.Group // the server's control group; nil until the first plan
	began  time.Time
	lasts  lasting

	installs installs
	noPairs  error // why the launcher cannot make the server's sockets
}

// New prepares a launch.
func New(c Config) *Launch {
	c.Hooks.Timeout = cmp.Or(c.Hooks.Timeout, launchTimeout)
	if c.Interrupt.Check == nil {
		c.Interrupt.Check = func([]unix.PollFd) error { return nil }
	}
	if c.Interrupt.Poll == nil {
		c.Interrupt.Poll = unix.Poll
	}
	return &Launch{Config: c, Ladder: ladder.New(c.Order, &c.Policy), began: time.Now()}
}

// Start tries one confinement after another, the strongest first, until the machine refuses no step. Where a step is
// refused, everything that was started of the attempt is ended, and the next has another init. No server has run.
func (l *Launch) Start() (*Sandbox, error) {
	steps := [...]func(*Launch) error{(*Launch).checkOwn, makeOwn, (*Launch).openState, l.installs.openAll}
	for _, step := range steps {
		if err := step(l); err != nil {
			return nil, err
		}
	}
	for {
		a := l.newAttempt()
		err := try(l, a)
		if err == nil {
			return &a.Sandbox, nil
		}
		if l.Host.Parent != nil {
			return nil, err
		}
		if withoutPairs(l, err) {
			continue
		}
		if err = l.Ladder.Next(err); err != nil {
			return nil, err
		}
	}
}

// try makes one attempt, of which nothing is left where it fails.
func try(l *Launch, a *Attempt) (err error) {
	made := false
	defer func() {
		if !made { // after a panic too, with which a host goes on
			a.Close()
		}
	}()
	if err = a.Run(); err == nil {
		err = l.Ladder.Accept(a.Layers)
	}
	made = err == nil
	return err
}

// Close removes the control group, and gives the locks of state and package back. Everything in the group has ended.
func (l *Launch) Close() {
	l.Group.Remove()
	l.lasts.folder.Close()
	l.installs.close()
}
