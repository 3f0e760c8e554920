package match

import (
	"iter"
	"net/netip"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// ports are ports that entries name, ascending once a table is sorted.
type ports struct {
	all  bool // a denial's alone
	list []uint16
}

func (p ports) has(port uint16) bool {
	if p.all {
		return true
	}
	_, ok := slices.BinarySearch(p.list, port)
	return ok
}

// less returns the list without the denied ports.
func (p ports) less(denied ports) []uint16 {
	if denied.all || len(p.list) == 0 {
		return nil
	}
	open := make([]uint16, 0, len(p.list))
	for _, port := range p.list {
		if !denied.has(port) {
			open = append(open, port)
		}
	}
	return open
}

// and returns the ports of both. It leaves both lists as they are.
func (p ports) and(q ports) ports {
	if len(p.list) == 0 {
		p.list = q.list
	} else if len(q.list) > 0 {
		both := slices.Concat(p.list, q.list)
		slices.Sort(both)
		p.list = slices.Compact(both)
	}
	p.all = p.all || q.all
	return p
}

// A set is the ports of all entries with the same name or address.
type set struct {
	ports
	text string // the entry without its port
	star bool
}

// A table finds the entries of a name by one lookup for each of its labels, however many entries there are.
type table struct {
	exact, below map[string]*set
	addresses    map[netip.Addr]*set
}

// at returns the set of an entry, a new one if need be.
func (t *table) at(d policy.Domain) *set {
	if d.Address {
		a := address(d.Host)
		return in(&t.addresses, a, set{text: a.String()})
	}
	if d.Below {
		return in(&t.below, d.Host, set{text: "*." + d.Host, star: true})
	}
	return in(&t.exact, d.Host, set{text: d.Host})
}

func in[K comparable](m *map[K]*set, key K, made set) *set {
	s := (*m)[key]
	if s == nil {
		if *m == nil {
			*m = map[K]*set{}
		}
		s = &made
		(*m)[key] = s
	}
	return s
}

// sort puts the lists into the form of [ports].
func (t *table) sort() {
	for _, m := range []map[string]*set{t.exact, t.below} {
		for _, s := range m {
			s.tidy()
		}
	}
	for _, s := range t.addresses {
		s.tidy()
	}
}

func (s *set) tidy() {
	slices.Sort(s.list)
	s.list = slices.Compact(s.list)
}

// each yields the sets that name a name: its own, then the stars that it is below of, the narrowest first.
func (t *table) each(name string) iter.Seq[*set] {
	return func(yield func(*set) bool) {
		if s := t.exact[name]; s != nil && !yield(s) {
			return
		}
		for rest := name; len(t.below) > 0; {
			var more bool
			if _, rest, more = strings.Cut(rest, "."); !more {
				return
			}
			if s := t.below[rest]; s != nil && !yield(s) {
				return
			}
		}
	}
}

// of is the ports of all entries that name a name.
func (t *table) of(name string) (p ports) {
	for s := range t.each(name) {
		p = p.and(s.ports)
	}
	return p
}

// stars is the ports of the stars alone that a name is below of.
func (t *table) stars(name string) (p ports) {
	for s := range t.each(name) {
		if s.star {
			p = p.and(s.ports)
		}
	}
	return p
}

func (t *table) ofAddress(a netip.Addr) ports {
	if s := t.addresses[a]; s != nil {
		return s.ports
	}
	return ports{}
}
