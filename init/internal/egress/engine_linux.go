package egress

import (
	"net/netip"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/names"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Config is the sockets and the settings of an engine.
type Config struct {
	Sockets []layers.Carried // made in the server's network namespace; the engine owns them
	Pairs   bool             // the server has no such namespace, and its connections come by [Pairs.Connect]
	Network policy.Network
	Proxy   dial.Proxy // the company's
	Tally   *tally.Tally
	Resolve resolve.Config // for tests; zero: the host's files
}

// An Engine serves the sockets of one server.
type Engine struct {
	set      *loop.Set // nil without allowed domains: then there are taps alone, and nothing is answered
	timer    *loop.Timer
	rules    *match.Rules
	table    *names.Table
	host     host
	lookups  lookups
	accepter accepter
	asked    questions
	taps     []*tapSocket
	denials  denials
	sockets  []layers.Carried

	published []policy.Publish // ports of the server that the launcher itself connects to
}

// New serves sockets that nothing has been read from.
func New(c Config) (*Engine, error) {
	if !c.Pairs && !slices.ContainsFunc(c.Sockets, func(s layers.Carried) bool { return s.Kind <= layers.Listener }) {
		return newListener(&c)
	}
	set, err := loop.NewSet()
	if err != nil {
		closeAll(c.Sockets)
		return nil, err
	}
	e := &Engine{set: set, rules: match.New(&c.Network), table: names.New(), sockets: c.Sockets}
	e.denials = denials{tally: c.Tally, rules: e.rules, counts: map[target]*order.Egress{}}
	e.lookups = newLookups(resolve.New(set, c.Resolve))
	checks := c.Network.CheckServerName != policy.No
	e.accepter = accepter{engine: e, relay: relay.New(set), proxy: c.Proxy, checks: checks}
	e.accepter.dialer = dial.New(set, dial.Config{Proxy: c.Proxy, Resolver: e.lookups.resolver})
	e.asked = questions{engine: e}
	for _, text := range c.Network.Publish {
		if p, err := policy.ParsePublish(text); err == nil {
			e.published = append(e.published, p)
		}
	}
	for _, known := range e.rules.Facts() {
		if a, err := netip.ParseAddr(known.Text); err == nil {
			e.table.Reserve(a)
		}
	}
	e.host.private, e.host.shared = c.Network.AllowPrivate, c.Pairs
	e.accepter.from.reserve.Open()
	for _, s := range c.Sockets {
		if err := e.serve(s); err != nil {
			e.Close()
			return nil, err
		}
	}
	return e, nil
}

// newListener is an engine that learns from taps which names were looked up. Nothing else is made: most launches have
// no use for more.
func newListener(c *Config) (*Engine, error) {
	e := &Engine{rules: match.New(&c.Network), sockets: c.Sockets}
	e.denials = denials{tally: c.Tally, rules: e.rules}
	e.lookups.resolver = resolve.New(nil, c.Resolve) // of which the files alone are asked
	for _, s := range c.Sockets {
		if err := e.tap(s); err != nil {
			e.Close()
			return nil, err
		}
	}
	return e, nil
}

// serve has the set wait for a socket.
func (e *Engine) serve(s layers.Carried) (err error) {
	switch s.Kind {
	case layers.DNSUDP:
		// Answers come from the address that was asked, which no interface has. Without IPv6 the option is not known.
		unix.SetsockoptInt(s.FD, unix.SOL_IPV6, unix.IPV6_FREEBIND, 1)
		_, err = e.set.Add(s.FD, unix.EPOLLIN, func(uint32) { e.asked.serve(s.FD) })
	case layers.DNSTCP:
		err = e.accepter.listen(s.FD, func() { e.asked.accept(s.FD) })
	case layers.Listener:
		err = e.accepter.listen(s.FD, func() { e.accepter.accept(s.FD, s.Port) })
	default:
		err = e.tap(s)
	}
	return err
}

// Register has a loop serve the engine.
func (e *Engine) Register(l *loop.Loop) {
	if e == nil {
		return
	}
	if e.set == nil {
		for _, t := range e.taps {
			l.Add(t.FD, unix.POLLIN, func(int16) { t.serve() })
		}
		return
	}
	e.timer = l.Timer(e.Serve)
	l.Add(e.set.FD(), unix.POLLIN, func(int16) { e.Serve() })
	e.timer.Set(e.next())
}

// FD is ready for reading when the engine has work: for a caller that has no loop yet, and calls [Engine.Serve] then.
// It is -1 for an engine of taps alone, which has no work before the server is released.
func (e *Engine) FD() int {
	if e.set == nil {
		return -1
	}
	return e.set.FD()
}

// Serve does a bounded piece of all work that there is.
func (e *Engine) Serve() {
	if e.set == nil {
		for _, t := range e.taps {
			t.serve()
		}
		return
	}
	e.set.Serve()
	now := time.Now()
	e.lookups.resolver.Due(now)
	e.accepter.dialer.Due(now)
	e.accepter.due(now)
	e.timer.Set(e.next())
}

// next is the next moment at which something is due; zero: none.
func (e *Engine) next() time.Time {
	return earliest(e.lookups.resolver.Next(), e.accepter.dialer.Next(), e.accepter.next())
}

func earliest(times ...time.Time) (first time.Time) {
	for _, t := range times {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Begin is called before the server is released. Refusals before it were those of the proofs.
func (e *Engine) Begin() {
	for _, t := range e.taps {
		t.serve()
	}
	e.denials.begun = true
}

// Counts are the traffic by each name and port.
func (e *Engine) Counts() []order.Egress {
	if e == nil {
		return nil
	}
	return e.denials.list()
}

// Ports are those that the policy opens of a name.
func (e *Engine) Ports(name string) []uint16 {
	if e == nil || name == "" {
		return nil
	}
	return e.rules.PortsOf(name)
}

// A Wait is poll(2).
type Wait func(fds []unix.PollFd, milliseconds int) (int, error)

// Finish carries the server's last bytes, until then at the latest. The server has ended, and the loop too.
func (e *Engine) Finish(until time.Time, wait Wait) {
	if e == nil {
		return
	}
	if e.set == nil {
		e.Serve()
		return
	}
	e.timer = nil
	e.accepter.relay.Finish()
	e.Serve() // connections that are not accepted yet
	e.accepter.finish()
	for e.accepter.living > 0 {
		left := time.Until(earliest(until, e.next()))
		if left <= 0 && !time.Now().Before(until) {
			return
		}
		_, _ = wait([]unix.PollFd{{Fd: int32(e.set.FD()), Events: unix.POLLIN}}, int(max(left, 0)/time.Millisecond)+1)
		e.Serve()
	}
}

// Close resets all connections, and closes the sockets.
func (e *Engine) Close() {
	if e == nil {
		return
	}
	if e.set != nil {
		e.accepter.close()
		e.asked.close()
		e.lookups.resolver.Close()
	}
	e.host.close()
	closeAll(e.sockets)
	e.sockets, e.taps = nil, nil
	if e.set != nil {
		e.set.Close()
		e.set = nil
	}
}

func closeAll(sockets []layers.Carried) {
	for _, s := range sockets {
		unix.Close(s.FD)
	}
}
