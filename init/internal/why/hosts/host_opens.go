package hosts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// vetted says of an allowed name why none of the addresses to which it leads may be dialled on a port that is asked
// for; ok where one may, or none is known. by is the entry that allows the name.
func (q *hostQuestion) vetted(by string) (a order.Answer, ok bool) {
	for _, port := range q.ports {
		if !q.dials(&q.policy.Network, port) {
			return q.closedBehind(by, port), false
		}
	}
	return a, true
}

// dials reports whether a port of one of the addresses may be dialled to which a name leads, or none is known.
func (q *hostQuestion) dials(n *policy.Network, port uint16) bool {
	found := q.machine.Found
	if q.host.Name == "" || q.isLocal() || len(found) == 0 {
		return true
	}
	rules := match.New(n)
	return slices.ContainsFunc(found, func(a netip.Addr) bool {
		return rules.Dials(a, port, addresses.ClassOf(a, q.isOwn), n.AllowPrivate)
	})
}

// closedBehind is the answer for an allowed name that leads to closed addresses alone.
func (q *hostQuestion) closedBehind(by string, port uint16) order.Answer {
	var best addresses.Class // the least bad
	for _, address := range q.machine.Found {
		closes := match.Decide(&q.policy.Network, match.Host{Address: address}, port).Closes
		if len(closes) > 0 {
			by := deniedKey + strconv.Itoa(closes[0])
			return refused(by, q.text+" leads to "+address.String()+", which is denied at "+by)
		}
		best = max(best, addresses.ClassOf(address, q.isOwn))
	}
	why := q.text + " is allowed at " + by + ", and leads to " + best.String()
	if best == addresses.Private {
		return refused(privateKey, why)
	}
	return refused(order.NoEntry, why+", which nothing opens")
}

const privateKey = "/network/allowPrivate"

// needsPrivate reports whether a name leads to addresses of which a network opens none.
func (q *hostQuestion) needsPrivate(n *policy.Network) bool {
	return slices.ContainsFunc(q.ports, func(port uint16) bool { return !q.dials(n, port) })
}

// opens says which access a change opens besides the asked act.
func (q *hostQuestion) opens(changed *policy.Network, closes []int) (all []string) {
	for _, i := range closes {
		all = append(all, "the server can reach whatever else "+q.policy.Network.DeniedDomains[i]+
			" takes away from the allowed hosts")
	}
	if a := q.host.Address; a.IsValid() && !a.IsLoopback() && addresses.ClassOf(a, q.isOwn) == addresses.Private {
		all = append(all, "the server can be led to "+q.text+", a private address, by every allowed name")
	}
	if changed.AllowPrivate && !q.policy.Network.AllowPrivate {
		all = append(all, "the server can be led to private addresses by every allowed name")
	}
	if len(changed.AllowedDomains) == len(q.policy.Network.AllowedDomains) {
		return all
	}
	wide := q.explained(changed)
	if shared := sharedAbove(q.host.Name); shared != "" && len(wide) == 0 {
		all = append(all, "the server can reach whoever has that name: anybody can have one below "+shared)
	}
	if q.isLocal() && len(wide) == 0 {
		all = append(all, "the server can reach whatever program listens at "+portList(q.ports)+
			" of this machine's loopback: some of these ask nobody who they are")
	}
	all = append(all, wide...)
	return append(all, portsTaken(q.rules, match.New(changed))...)
}

// explained are the sentences about the added entries that policy check warns of: hosts that pass on to strangers, and
// programs of this machine that obey every caller.
func (q *hostQuestion) explained(changed *policy.Network) (all []string) {
	before := len(q.policy.Network.AllowedDomains)
	e := explain.Of(policy.Policy{Level: q.policy.Level, Network: *changed}, policy.Run, "")
	for _, l := range e.Warnings() {
		position, of := strings.CutPrefix(l.Pointer, allowedKey)
		if i, err := strconv.Atoi(position); of && err == nil && i >= before {
			all = append(all, "the server "+l.Text)
		}
	}
	return all
}

// sharedAbove is the name at or above a host below which a company gives names to everyone, or "".
func sharedAbove(host string) string {
	for name := host; name != ""; _, name, _ = strings.Cut(name, ".") {
		if policy.SharedSuffix(name) {
			return name
		}
	}
	return ""
}

// portsTaken tells of ports at which a server can listen, and can no more when an entry opens them.
func portsTaken(before, after *match.Rules) []string {
	const first = 1024 // that a server can bind; ip_unprivileged_port_start in ip(7)
	var taken []uint16
	for _, port := range after.Ports() {
		if port >= first && !slices.Contains(before.Ports(), port) {
			taken = append(taken, port)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return []string{"the server can no longer listen at " + portList(taken) + " itself"}
}
