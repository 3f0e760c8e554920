package hosts

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Pointers of the network's keys.
const (
	allowedKey = "/network/allowedDomains/"
	deniedKey  = "/network/deniedDomains/"
)

// A Machine is a caller's knowledge of the launcher's machine. The zero Machine is none.
type Machine struct {
	Own   []netip.Addr // of its interfaces, and their broadcast addresses
	Found []netip.Addr // to which the name that is asked about leads; none: the name was not looked up
}

// Host answers whether the server may connect to a port of a name or an address; 0 asks for 80 and 443. Where a name
// leads is not looked up: that may still be an address that the policy keeps closed.
func Host(p *policy.Policy, host string, port uint16) order.Answer {
	return Machine{}.Host(p, host, port)
}

// Host is the function of that name, and looks at the addresses too, as the launch that connects does.
func (m Machine) Host(p *policy.Policy, host string, port uint16) order.Answer {
	q := &hostQuestion{target: targetOf(host, port), policy: p, rules: match.New(&p.Network), machine: m}
	if level := p.Level; level == policy.LevelNetwork || level == policy.Privileged {
		return order.Answer{Allowed: order.ActAllowed, By: "/level",
			Text: q.what() + q.are() + " allowed: level " + string(level) + " has the host's network"}
	}
	if why := q.unreachable(); why != "" {
		return order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: order.NoEntry, Text: why}
	}
	a := q.judge()
	if a.Allowed == order.ActDenied {
		q.change(&a)
	}
	return a
}

// A hostQuestion is asked of one policy.
type hostQuestion struct {
	target
	policy  *policy.Policy
	rules   *match.Rules
	machine Machine
}

func (q *hostQuestion) isOwn(a netip.Addr) bool { return slices.Contains(q.machine.Own, a) }

// unreachable says why no entry opens any port of the host, or "".
func (q *hostQuestion) unreachable() string {
	if !q.named {
		// The words of the policy's own check, where that has some.
		if _, err := policy.ParseDomain(q.text); err != nil {
			return err.Error()
		}
		return q.text + " is no name that a server can look up, and no address"
	}
	if a := q.host.Address; a.IsValid() && !a.IsLoopback() {
		if class := addresses.ClassOf(a, q.isOwn); class < addresses.Private {
			return q.text + " is " + class.String() + ", which nothing opens"
		}
	}
	return ""
}

// judge asks the rules of each port. A denial goes before a missing entry.
func (q *hostQuestion) judge() order.Answer {
	closed := uint16(0)
	for _, port := range q.ports {
		switch q.rules.Ask(q.host, port) {
		case match.Denied:
			return q.denied(port)
		case match.Open:
		default:
			if closed == 0 {
				closed = port
			}
		}
	}
	if closed != 0 {
		return q.missing(closed)
	}
	opens := match.Decide(&q.policy.Network, q.host, q.ports[0]).Opens
	by := allowedKey + strconv.Itoa(narrowest(q.policy.Network.AllowedDomains, opens))
	if a, ok := q.vetted(by); !ok {
		return a
	}
	return order.Answer{Allowed: order.ActAllowed, By: by, Text: q.what() + q.are() + " allowed at " + by}
}

func refused(by, text string) order.Answer {
	return order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: by, Text: text}
}

func (q *hostQuestion) denied(port uint16) order.Answer {
	by := deniedKey + strconv.Itoa(match.Decide(&q.policy.Network, q.host, port).Closes[0])
	return refused(by, q.text+" port "+number(port)+" is denied at "+by)
}

// missing is the answer where entries are lacking.
func (q *hostQuestion) missing(port uint16) order.Answer {
	not := q.what() + q.are() + " not allowed: "
	if w := match.Decide(&q.policy.Network, q.host, port); len(w.Elsewhere) > 0 {
		by := allowedKey + strconv.Itoa(narrowest(q.policy.Network.AllowedDomains, w.Elsewhere))
		if open := q.openPorts(); len(open) > 0 {
			return refused(by, q.text+" is allowed at "+by+" for "+portList(open)+" only")
		}
		return refused(by, not+by+" is for another port, and that is denied")
	}
	if len(q.rules.Ports()) == 0 {
		return refused(order.NoEntry, not+"the policy opens no host, and there is no network")
	}
	return refused(order.NoEntry, not+"no entry of allowedDomains names "+q.text)
}

// narrowest is the position of the entry with the longest name: of entries that name a host that is the host itself, or
// else the narrowest star.
func narrowest(list []string, positions []int) int {
	best, length := positions[0], 0
	for _, i := range positions {
		if d, err := policy.ParseDomain(list[i]); err == nil && len(d.Host) > length {
			best, length = i, len(d.Host)
		}
	}
	return best
}

// openPorts are the ports of the host that are open, ascending.
func (q *hostQuestion) openPorts() (open []uint16) {
	for _, port := range q.rules.Ports() {
		if q.rules.Ask(q.host, port) == match.Open {
			open = append(open, port)
		}
	}
	return open
}
