package shim

import (
	"cmp"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/pair"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// network is how a server with a network namespace of its own reaches the hosts that its policy names.
type network struct {
	policy *policy.Policy
	denied *tally.Tally
	listed bool           // the policy opens hosts, if the confinement holds the list
	proxy  dial.Proxy     // the company's
	engine *egress.Engine // nil without allowed domains, and until init has opened its sockets
	loop   *loop.Loop     // of the monitor
	beside *loop.Loop     // for answers that wait for the server; nil: none are

	publish published // the other way: ports of the server that the host reaches
}

// check refuses addresses and a proxy in a policy with allowed domains that only this machine can judge.
func (n *network) check() error {
	rules := match.New(&n.policy.Network)
	if n.listed = layers.HasEgress(n.policy, rules); !n.listed {
		return nil
	}
	if rules.HasLiterals() { // else none can be the machine's
		own, err := platform.OwnAddresses()
		if err != nil {
			return &order.Refusal{Layer: order.Network, Op: "own addresses", Err: err}
		}
		for _, a := range own {
			if !a.IsLoopback() && rules.Literal(a) {
				return &order.Refusal{Layer: order.Policy, Op: "allowedDomains", Path: a.String(),
					Err: errors.New("an address of this machine itself: localhost:PORT opens a port of it")}
			}
		}
	}
	var err error
	if n.proxy, err = dial.ProxyFrom(os.Getenv); err != nil {
		return &order.Refusal{Layer: order.Network, Op: "company proxy", Err: err}
	}
	return nil
}

// CheckNetwork is the refusal of a policy's network by this machine.
func CheckNetwork(p *policy.Policy) error { return (&network{policy: p}).check() }

// serve makes the engine that serves the sockets of the server's network namespace.
func (n *network) serve(sockets []layers.Carried) (launch.Serving, error) {
	engine, err := egress.New(egress.Config{Sockets: sockets, Network: n.policy.Network, Proxy: n.proxy,
		Tally: n.denied})
	if err != nil {
		return nil, err
	}
	n.engine = engine
	return engine, nil
}

// servePairs makes the engine that the sockets of a server without a network namespace of its own lead to.
func (n *network) servePairs(l *notify.Listener) (launch.Serving, error) {
	engine, err := egress.New(egress.Config{Pairs: true, Network: n.policy.Network, Proxy: n.proxy, Tally: n.denied})
	if err != nil {
		return nil, err
	}
	n.engine = engine
	if n.beside == nil {
		if n.beside, err = n.loop.Beside(); err != nil {
			engine.Close()
			return nil, err
		}
	}
	ends := egress.PairsOf(engine)
	p := &pairs{engine, pair.New(ends, ends.Set(), n.beside, seccomp.Name)}
	l.ServeBy(p.sockets)
	return p, nil
}

// pairs are an engine and the sockets that lead to it.
type pairs struct {
	*egress.Engine
	sockets *pair.Sockets
}

// Served is the account of the calls that were answered until now.
func (p *pairs) Served() layers.Served { return p.sockets.Served() }

func (p *pairs) Begin() {
	p.sockets.Begin()
	p.Engine.Begin()
}

func (p *pairs) Close() {
	p.sockets.Close()
	p.Engine.Close()
}

// register has a loop serve the network, and the listener of the server's filter.
func (n *network) register(l *notify.Listener) {
	on := cmp.Or(n.beside, n.loop)
	n.engine.Register(on)
	l.Register(on)
	n.publish.Register(n.loop)
}

// note writes into the first line of the report how hosts are reached.
func (n *network) note(e *order.Enforced, o *order.Order, s *launch.Sandbox) {
	if !n.listed || s.Egress == nil {
		return
	}
	var effects []string
	if s.Shared() {
		effects = append(effects, layers.EffectOfPairs)
	}
	if n.proxy.IsSet() {
		effects = append(effects, "via proxy "+n.proxy.String())
	}
	if len(effects) > 0 {
		e.Layer(order.Network).Effect = strings.Join(effects, "; ")
	}
	for _, variable := range notice.ProxyVariables() {
		if order.Lookup(o.Env, variable) != "" && !o.Guided { // a guided one says which access its policy opens
			e.Warnings = append(e.Warnings, notice.ProxyVariable(variable))
		}
	}
}

// finish carries the server's last bytes, for no longer than a server may take to end.
func (n *network) finish() {
	grace, _ := n.policy.Limits.Grace.Value()
	if grace <= 0 {
		grace = lastBytes
	}
	until := time.Now().Add(min(grace, lastBytes))
	n.publish.Finish(until, n.engine, n.loop.Wait)
	n.publish.Close()
	n.engine.Finish(until, n.loop.Wait)
}

// lastBytes is how long the launcher carries bytes for a server that has ended.
const lastBytes = 1500 * time.Millisecond
