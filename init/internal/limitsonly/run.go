package limitsonly

import (
	"os"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Config is one launch.
type Config struct {
	Order *order.Order
	Host  int          // the channel to a Go host, or -1; the report goes there too
	Watch Watch        // watches a Go host; nil: none
	Say   func(string) // writes one line to standard error
}

// A Watch calls gone when the host has ended, and asked when the host wants the server to end.
type Watch func(gone, asked func())

// A shim is one launch under way.
type shim struct {
	Config
	plan   *plan // nil until the order is read
	sink   report.Sink
	output output
	server *server // nil until its process is made

	began   time.Time
	parent  int // the process that started this one; its end is the host's
	signals chan os.Signal
	events  chan func() // calls that other goroutines ask for
	over    chan struct{}
	end     ending.Ending
	lowered []string // lines about the confinement
}

// Run starts the server of an order, and returns the launcher's exit code when the server and its descendants
// have ended.
func Run(c Config) int {
	s := &shim{Config: c, sink: report.Sink{Report: c.Order.ReportFD, Host: c.Host},
		began: time.Now(), parent: os.Getppid(),
		signals: catchSignals(), events: make(chan func()), over: make(chan struct{})}
	defer s.cleanup()
	enforced, err := s.launch()
	if err != nil {
		return s.refuse(err)
	}
	if s.plan.Probe {
		return 0
	}
	var stdin *session
	if s.plan.policy.OnStdinClose == policy.Terminate {
		stdin = newSession() // before the server could make the host close standard input
	}
	if err = s.server.release(); err != nil {
		return s.refuse(err)
	}
	released := time.Now()
	if c.Order.Keep { // the server runs: nothing waits for the report
		s.sink.Keep(enforced)
	}
	for _, line := range notice.AtStart(c.Order, enforced, s.lowered) {
		c.Say(line)
	}
	x := s.watch(stdin)
	return s.finish(enforced, &notice.End{Exited: &x, After: time.Since(released), Policy: &s.plan.policy})
}

// launch is everything up to a proved server that waits for its release, and the first line of the report.
func (s *shim) launch() (enforced *order.Enforced, err error) {
	if s.plan, err = newPlan(s.Order); err != nil {
		return nil, err
	}
	if err = checkStdio(); err != nil {
		return nil, err
	}
	if s.plan.policy.OnHostExit != policy.Ignore {
		s.plan.host = s.parent
	}
	if err = s.plan.stores.open(s.plan, s.interrupted); err != nil {
		return nil, err
	}
	if err = s.plan.openPrivate(); err != nil {
		return nil, err
	}
	if err = s.output.open(s.plan.StdoutGuard); err != nil {
		return nil, &order.Refusal{Layer: order.Descriptors, Op: "relay", Err: err}
	}
	s.server = &server{plan: s.plan}
	if err = s.server.start(s.output.server); err != nil {
		return nil, err
	}
	if enforced, err = s.enforced(); err != nil {
		return nil, err
	}
	if err = s.interrupted(); err != nil {
		return nil, err
	}
	return enforced, s.sink.First(enforced)
}

// interrupted is the error of a launch after a signal that asks for its end, or after the end of its host.
func (s *shim) interrupted() error {
	for {
		select {
		case sig := <-s.signals:
			if n, ok := sig.(syscall.Signal); ok && ending.Asks(n) {
				return report.Signalled{Signal: n}
			}
		default:
			if s.plan.host != 0 && os.Getppid() != s.parent {
				return report.ErrHostGone
			}
			return nil
		}
	}
}

// cleanup ends all processes and removes the private folder, however the launch went.
func (s *shim) cleanup() {
	if s.server != nil {
		s.server.Kill()
		s.server.close()
	}
	if s.plan != nil {
		s.plan.private.Remove(privdir.AtEnd(nil))
		s.plan.lasts.Close()
		s.plan.stores.close()
	}
}
