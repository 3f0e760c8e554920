package hosts

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A change is of a copy of a policy.
type change struct {
	policy policy.Policy
	flags  []string
	patch  []order.Patch
	opens  []string
}

// remove takes entries out of a list of the policy. No flag does that. Those in front keep their positions for the
// operations that follow.
func (c *change) remove(list *[]string, key string, positions []int) {
	var rest []string
	for i, s := range *list {
		if !slices.Contains(positions, i) {
			rest = append(rest, s)
		}
	}
	*list = rest
	for _, i := range slices.Backward(positions) {
		c.patch = append(c.patch, order.Patch{Op: "remove", Path: key + strconv.Itoa(i)})
	}
}

// suggest adds a change to an answer, if a launch takes the changed policy.
func (c *change) suggest(a *order.Answer, removal bool) {
	if err := c.policy.Validate(); err != nil {
		a.Text += "; nothing can be added: " + err.Error()
		return
	}
	if a.Patch, a.Opens = c.patch, c.opens; !removal {
		a.Flags = c.flags
	}
}

// change adds to a denial the least change of the policy with which the host is open.
func (q *hostQuestion) change(a *order.Answer) {
	c := change{policy: *q.policy}
	n := &c.policy.Network
	closes := q.closes()
	c.remove(&n.DeniedDomains, deniedKey, closes)
	for _, entry := range q.entries(q.closed(n)) {
		if err := c.policy.Set("network.allowedDomains", entry); err != nil {
			a.Text += "; nothing opens that: " + err.Error()
			return
		}
		c.flags = append(c.flags, "--allow-domain", entry)
		c.patch = append(c.patch, order.Patch{Op: "add", Path: allowedKey + "-", Value: entry})
	}
	if q.needsPrivate(n) {
		n.AllowPrivate = true
		c.flags = append(c.flags, "--allow-private")
		c.patch = append(c.patch, order.Patch{Op: "add", Path: privateKey, Value: true})
	}
	if why := taken(n); why != "" {
		a.Text += "; nothing can be added: " + why
		return
	}
	again := *q
	again.policy, again.rules = &c.policy, match.New(n)
	if again.judge().Allowed == order.ActAllowed {
		c.opens = q.opens(n, closes)
		c.suggest(a, len(closes) > 0)
	}
}

// closes are the denials of all ports that are asked for, ascending. Denials of the addresses of a name, which the
// owner of the name chooses, are of these only where no other address can be dialled.
func (q *hostQuestion) closes() (all []int) {
	private := q.policy.Network
	private.AllowPrivate = true
	for _, port := range q.ports {
		all = append(all, match.Decide(&q.policy.Network, q.host, port).Closes...)
		if q.dials(&private, port) {
			continue
		}
		for _, a := range q.machine.Found {
			all = append(all, match.Decide(&q.policy.Network, match.Host{Address: a}, port).Closes...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// closed are the ports that the rules of a network keep closed.
func (q *hostQuestion) closed(n *policy.Network) (ports []uint16) {
	rules := match.New(n)
	for _, port := range q.ports {
		if rules.Ask(q.host, port) != match.Open {
			ports = append(ports, port)
		}
	}
	return ports
}

// taken says which published port is one on which the sandbox would listen itself: such a launch is refused.
func taken(n *policy.Network) string {
	ports := match.New(n).Ports()
	for i, entry := range n.Publish {
		if p, err := policy.ParsePublish(entry); err == nil && slices.Contains(ports, p.Port) {
			return "/network/publish/" + strconv.Itoa(i) + " has port " + number(p.Port) + " of the server"
		}
	}
	return ""
}
