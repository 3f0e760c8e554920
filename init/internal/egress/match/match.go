// Package match decides by a policy's allowed and denied domains: about a name, an address, and a port of them.
//
//	rules := match.New(&policy.Network)
//	name, ok := rules.Canonical(asked)
//	if ok && rules.Name(name).Allowed { ... }
//	if rules.Port(name, 5432) == match.Open { ... }
//
// Rules never change. A denial beats every allowance, whatever the order. Nothing here looks a name up: a name and the
// addresses behind it are asked of one by one, and [Rules.DeniedAddress] is asked of each address before it is dialled.
package match

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Reason is why a port is open or not. The zero Reason is not.
type Reason uint8

const (
	NotAllowed Reason = iota // no entry allows the name or address, and an entry that did would open it
	WrongPort                // entries allow the name or address, on other ports
	Denied                   // a denial says so, and no entry could open the port
	Open
)

// Rules is made by [New]. The zero Rules opens nothing.
type Rules struct {
	allowed, denied table
	entries         []Entry
	listen          []uint16
}

// Named is the result of the entries for a name.
type Named struct {
	// Allowed means that a port at least is open. It is Reason == Open.
	Allowed bool
	// Star is the entry, as in *.example.com, that alone allows the name. An exact entry makes it "". Of several the
	// narrowest counts.
	Star string
	// Reason is Open, NotAllowed, or Denied.
	Reason Reason
}

// An Entry is the ports that the entries of one name or address open.
type Entry struct {
	Text  string // example.com, *.example.com, localhost, 192.0.2.1, or 2001:db8::1
	Ports []uint16
}

// New reads entries that [policy.ParseDomain] knows. An allowance that it does not know opens nothing, and with a
// denial that it does not know nothing at all is open. An allowance of a name below localhost opens nothing either.
func New(n *policy.Network) *Rules {
	r := &Rules{}
	for _, s := range n.DeniedDomains {
		d, err := policy.ParseDomain(s)
		if err != nil {
			return &Rules{}
		}
		if set := r.denied.at(d); d.Port == 0 {
			set.all = true
		} else {
			set.list = append(set.list, d.Port)
		}
	}
	var first []policy.Domain // of the entries of one name or address
	for _, s := range n.AllowedDomains {
		d, err := policy.ParseDomain(s)
		if err != nil || d.Host == localhost && (d.Below || d.Port == 0) || strings.HasSuffix(d.Host, "."+localhost) {
			continue
		}
		set := r.allowed.at(d)
		if len(set.list) == 0 {
			first = append(first, d)
		}
		if d.Port == 0 {
			set.list = append(set.list, 80, 443)
		} else {
			set.list = append(set.list, d.Port)
		}
	}
	r.denied.sort()
	r.allowed.sort()
	for _, d := range first {
		r.note(d)
	}
	slices.Sort(r.listen)
	r.listen = slices.Compact(r.listen)
	return r
}

// note keeps the ports that the entries of one name or address open, less the denials that cover all of it.
func (r *Rules) note(d policy.Domain) {
	set := r.allowed.at(d)
	var open []uint16
	switch {
	case d.Address:
		open = set.less(r.deniedAddress(address(d.Host)))
	case d.Below:
		// Each name below the star is below the same denied stars as "x" below it.
		open = set.less(r.denied.stars("x." + d.Host))
	default:
		open = set.less(r.denied.of(d.Host))
	}
	if len(open) > 0 {
		r.entries = append(r.entries, Entry{set.text, open})
		r.listen = append(r.listen, open...)
	}
}

// Facts are the entries, in the policy's order, each name and address once, without those that denials close.
func (r *Rules) Facts() []Entry { return r.entries }

// Ports are the TCP ports that something is to listen on inside, ascending: the entries' own, and localhost's.
func (r *Rules) Ports() []uint16 { return r.listen }

// Name says whether a canonical name has an open port, and by which kind of entry.
func (r *Rules) Name(name string) Named {
	if !lookedUp(name) {
		return Named{}
	}
	denied := r.denied.of(name)
	closed := denied.all
	for set := range r.allowed.each(name) {
		if len(set.less(denied)) == 0 {
			closed = true
			continue
		}
		n := Named{Allowed: true, Reason: Open}
		if set.star {
			n.Star = set.text
		}
		return n
	}
	if closed {
		return Named{Reason: Denied}
	}
	return Named{}
}

// Port says whether a port of a canonical name is open.
func (r *Rules) Port(name string, port uint16) Reason {
	if !lookedUp(name) {
		return NotAllowed
	}
	return reason(r.allowed.of(name), r.denied.of(name), port)
}

// PortsOf are the open ports of a canonical name, ascending.
func (r *Rules) PortsOf(name string) []uint16 {
	if !lookedUp(name) {
		return nil
	}
	return r.allowed.of(name).less(r.denied.of(name))
}

// Localhost reports whether an entry opens the port of the host's loopback, and no denial of localhost closes that.
func (r *Rules) Localhost(port uint16) bool { return r.Ask(Host{Name: localhost}, port) == Open }

// reason compares the allowed and the denied ports of one name or address.
func reason(allowed, denied ports, port uint16) Reason {
	switch {
	case denied.has(port):
		return Denied
	case allowed.has(port):
		return Open
	case len(allowed.less(denied)) == 0:
		return NotAllowed
	}
	return WrongPort
}
