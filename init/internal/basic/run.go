package basic

import (
	"os"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Config is one launch.
type Config struct {
	Order *order.Order
	Host  int          // the channel to a Go host, or -1; the report goes there too
	Watch Watch        // what tells that the host has ended or wants the end
	Say   func(string) // one line for standard error

	// Alter, for tests, changes what the server is held by before it is.
	Alter func(*Hold)
}

// A Watch tells of the host: it calls gone when the host has ended, and asked when it wants the server to end. A nil one
// never does.
type Watch func(gone, asked func())

// A shim is one launch under way.
type shim struct {
	Config
	policy  policy.Policy
	plan    plan
	private private
	sink    report.Sink
	server  *server

	began   time.Time
	host    int // the process that started this one; its end is the host's
	signals chan os.Signal
	events  chan func() // what other goroutines want done
	gone    chan struct{}
	over    bool // the server has ended

	end     ending.Ending
	session *session // nil if standard input is none
	status  status
	output  output
}

// A status is how the server ended, and what it used.
type status struct {
	code   int    // exit code; 128+N if signal N ended it
	signal string // its name, or ""
	cpu    time.Duration
	rss    int64 // bytes
	spent  bool  // all processor time that it had
}

// Run starts the server of an order and returns the launcher's exit code when all of it has ended.
func Run(c Config) int {
	s := &shim{Config: c, began: time.Now(), host: os.Getppid(), events: make(chan func()), gone: make(chan struct{}), signals: listen(),
		sink: report.Sink{Report: c.Order.ReportFD, Host: c.Host}}
	defer s.tidy()
	err := s.prepare()
	if err == nil {
		err = s.start()
	}
	var enforced *order.Enforced
	if err == nil {
		enforced, err = s.enforced()
	}
	if err == nil {
		err = s.asked()
	}
	if err == nil {
		err = s.sink.First(enforced)
	}
	if err == nil && c.Order.Probe {
		return 0
	}
	if err == nil {
		if s.policy.OnStdinClose == policy.Terminate {
			s.session = newSession() // before the server could tell the host anything
		}
		err = s.server.release()
	}
	if err != nil {
		return s.refuse(err)
	}
	for _, line := range enforced.Lines(c.Order.Verbose) {
		c.Say(line)
	}
	s.watch()
	return s.finish()
}

// prepare reads the order and finds out everything that can be wrong before there is a process.
func (s *shim) prepare() error {
	var err error
	if s.policy, err = policy.ParseCanonical(s.Order.Policy); err != nil {
		return &order.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	if err = checkStdio(); err != nil {
		return err
	}
	if err = holdable(&s.policy, s.Order.MinWritten); err != nil {
		return err
	}
	if s.plan, err = s.lay(); err != nil {
		return err
	}
	s.plan.env = s.Order.Env
	if s.policy.OnHostExit != policy.Ignore {
		s.plan.host = s.host
	}
	s.plan.grace = ending.FromHost
	if g, named := s.policy.Limits.Grace.Value(); named {
		s.plan.grace = g
	}
	if s.policy.Level == policy.Privileged { // its temporary files and its home are the host's
		return nil
	}
	if s.private, err = newPrivate(&s.plan); err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "make the private folder", Err: err}
	}
	s.plan.private = s.private.dir
	s.plan.env = s.private.environ(s.Order.Env)
	return nil
}

// start makes the server's process, which waits.
func (s *shim) start() error {
	if err := s.output.open(s.Order.StdoutGuard); err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "relay", Err: err}
	}
	s.plan.stdout = s.output.give
	hold, err := newHold(&s.plan)
	if err != nil {
		return err
	}
	if s.Alter != nil {
		s.Alter(hold)
	}
	s.server, err = hold.start(&s.plan)
	return err
}

// asked is the error of a launch whose host wanted its end meanwhile, or has ended.
func (s *shim) asked() error {
	for {
		select {
		case sig := <-s.signals:
			if n, ok := sig.(syscall.Signal); ok && ending.Asks(n) {
				return report.Signalled{Signal: n}
			}
		default:
			if os.Getppid() != s.host && s.policy.OnHostExit != policy.Ignore {
				return report.ErrHostGone
			}
			return nil
		}
	}
}

// tidy leaves nothing behind, however the launch went.
func (s *shim) tidy() {
	if s.server != nil {
		s.server.Kill()
		s.server.close()
	}
	s.private.remove()
}
