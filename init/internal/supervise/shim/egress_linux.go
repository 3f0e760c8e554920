package shim

import (
	"errors"
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
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

// note writes into the first line of the report how hosts are reached.
func (n *network) note(e *order.Enforced, o *order.Order, shared bool) {
	if !n.listed || shared {
		return
	}
	if n.proxy.IsSet() {
		e.Layer(order.Network).Effect = "via proxy " + n.proxy.String()
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
	n.publish.Finish(until, n.engine)
	n.publish.Close()
	n.engine.Finish(until)
}

// lastBytes is how long the launcher carries bytes for a server that has ended.
const lastBytes = 1500 * time.Millisecond
