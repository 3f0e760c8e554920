package asked

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// change adds to a denial the least change of the policy with which the answer is another.
func (q *hostQuestion) change(a *order.Answer) {
	changed := *q.policy
	n := &changed.Network
	closes := q.closes()
	n.DeniedDomains = without(n.DeniedDomains, closes)
	var patch []order.Patch
	for _, i := range slices.Backward(closes) { // the positions in front stay what they are
		patch = append(patch, order.Patch{Op: "remove", Path: deniedKey + strconv.Itoa(i)})
	}
	var flags []string
	for _, entry := range q.missing(n) {
		if err := changed.Set("network.allowedDomains", entry); err != nil {
			a.Text += "; nothing opens that: " + err.Error()
			return
		}
		flags = append(flags, "--allow-domain", entry)
		patch = append(patch, order.Patch{Op: "add", Path: allowedKey + "-", Value: entry})
	}
	if err := changed.Validate(); err != nil {
		a.Text += "; no further entry is possible: " + err.Error()
		return
	}
	if !q.opened(n) {
		return
	}
	if len(closes) > 0 {
		flags = nil // no flag takes a denial back
	}
	a.Flags, a.Patch, a.Opens = flags, patch, q.opens(closes)
}

// closes are the denials of all ports that are asked for, ascending.
func (q *hostQuestion) closes() (all []int) {
	for _, port := range q.ports {
		all = append(all, match.Decide(&q.policy.Network, q.host, port).Closes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// without is the list less the elements at these positions.
func without(list []string, positions []int) (rest []string) {
	for i, s := range list {
		if !slices.Contains(positions, i) {
			rest = append(rest, s)
		}
	}
	return rest
}

// missing are the entries without which ports are closed. Both ports that every entry without one has are one entry.
func (q *hostQuestion) missing(n *policy.Network) (entries []string) {
	rules := match.New(n)
	for _, port := range q.ports {
		if rules.Ask(q.host, port) != match.Open {
			entries = append(entries, q.entry(port))
		}
	}
	local := q.host.Name == "localhost" || q.host.Address.IsLoopback()
	if len(entries) == 2 && !local {
		return []string{q.text}
	}
	return entries
}

func (q *hostQuestion) opened(n *policy.Network) bool {
	rules := match.New(n)
	for _, port := range q.ports {
		if rules.Ask(q.host, port) != match.Open {
			return false
		}
	}
	return true
}

// opens says what the change opens besides.
func (q *hostQuestion) opens(closes []int) (all []string) {
	for _, i := range closes {
		all = append(all, "all that "+deniedKey+strconv.Itoa(i)+", "+q.policy.Network.DeniedDomains[i]+
			", takes out of the allowed hosts")
	}
	return all
}
