package match_test

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A model answers as the documentation reads: it splits names in labels and loops over all entries.
type model struct{ allowed, denied []policy.Domain }

var canonical = regexp.MustCompile(`^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$`)
var likeAddress = regexp.MustCompile(`(^|\.)([0-9]+|0x[^.]*)$`)

func (m model) isName(name string) bool {
	labels := strings.Split(name, ".")
	return len(name) <= 253 && canonical.MatchString(name) && !likeAddress.MatchString(name) && labels[len(labels)-1] != "localhost"
}

// names reports whether an entry names a name.
func names(d policy.Domain, name string) bool {
	if d.Address {
		return false
	}
	entry, labels := strings.Split(d.Host, "."), strings.Split(name, ".")
	if !d.Below {
		return slices.Equal(entry, labels)
	}
	return len(labels) > len(entry) && slices.Equal(entry, labels[len(labels)-len(entry):])
}

// leads are the addresses that packets to an address may end at, of those that the fuzz target asks for.
var leads = map[string][]string{
	"192.0.2.1": {"192.0.2.1"}, "10.0.0.1": {"10.0.0.1"}, "2001:db8::1": {"2001:db8::1"},
	"127.0.0.1":          {"127.0.0.1"},
	"::ffff:192.0.2.1":   {"192.0.2.1"},
	"64:ff9b::192.0.2.1": {"64:ff9b::192.0.2.1", "192.0.2.1"},
	"2002:c000:201::":    {"2002:c000:201::", "192.0.2.1"},
}

func literal(d policy.Domain, addr string) bool {
	return d.Address && netip.MustParseAddr(d.Host).Unmap() == netip.MustParseAddr(addr).Unmap()
}

func opens(d policy.Domain, port uint16) bool {
	return d.Port == port || d.Port == 0 && (port == 80 || port == 443)
}

func closes(d policy.Domain, port uint16) bool { return d.Port == 0 || d.Port == port }

// judge asks all entries, of which hit and hurt say whether they name the thing.
func (m model) judge(port uint16, hit, hurt func(policy.Domain) bool) match.Reason {
	denied := func(p uint16) bool {
		return slices.ContainsFunc(m.denied, func(d policy.Domain) bool { return hurt(d) && closes(d, p) })
	}
	allowed := func(p uint16) bool {
		return slices.ContainsFunc(m.allowed, func(d policy.Domain) bool { return hit(d) && opens(d, p) })
	}
	switch {
	case denied(port):
		return match.Denied
	case allowed(port):
		return match.Open
	}
	for _, p := range ports {
		if allowed(p) && !denied(p) {
			return match.WrongPort
		}
	}
	return match.NotAllowed
}

func (m model) port(name string, port uint16) match.Reason {
	if !m.isName(name) {
		return match.NotAllowed
	}
	named := func(d policy.Domain) bool { return names(d, name) }
	return m.judge(port, named, named)
}

func (m model) address(addr string, port uint16) match.Reason {
	return m.judge(port, func(d policy.Domain) bool { return literal(d, addr) }, func(d policy.Domain) bool {
		return slices.ContainsFunc(leads[addr], func(a string) bool { return literal(d, a) })
	})
}

func (m model) localhost(port uint16) bool {
	local := func(d policy.Domain) bool { return names(d, "localhost") }
	return m.judge(port, local, local) == match.Open
}

func (m model) name(name string) (n match.Named) {
	touched := false // by a denial, where an entry allows it
	narrowest := 0
	for _, d := range m.allowed {
		if !m.isName(name) || !names(d, name) {
			continue
		}
		touched = true
		for _, p := range ports {
			if !opens(d, p) || m.port(name, p) != match.Open {
				continue
			}
			n.Allowed, n.Reason, touched = true, match.Open, true
			depth := len(strings.Split(d.Host, "."))
			if !d.Below {
				n.Star, narrowest = "", 1000
			} else if depth > narrowest {
				n.Star, narrowest = "*."+d.Host, depth
			}
		}
	}
	whole := m.isName(name) && slices.ContainsFunc(m.denied, func(d policy.Domain) bool { return names(d, name) && d.Port == 0 })
	if !n.Allowed && (touched || whole) {
		n.Reason = match.Denied
	}
	return n
}

// listen asks for each entry whether a name or address that it names has the port open; below a star that is one which
// no entry but stars can name.
func (m model) listen() (listen []uint16) {
	for _, p := range ports {
		if slices.ContainsFunc(m.allowed, func(d policy.Domain) bool {
			switch {
			case !opens(d, p):
				return false
			case d.Address:
				return m.address(netip.MustParseAddr(d.Host).String(), p) == match.Open
			case d.Host == "localhost":
				return m.localhost(p)
			case d.Below:
				return m.port("no-entry-has-this."+d.Host, p) == match.Open
			}
			return m.port(d.Host, p) == match.Open
		}) {
			listen = append(listen, p)
		}
	}
	return listen
}

// ports are those that entries and questions of the fuzz target have.
var ports = []uint16{22, 80, 443, 8080}
