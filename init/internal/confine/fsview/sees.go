package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Sees are the paths of a view with the mode of each, sorted, each once. A folder stands for all below it.
func (v *View) Sees() []order.Seen {
	s := seen{known: map[string]bool{}}
	if v.HostRoot {
		s.add("/", order.CanRead, order.WhyGranted)
	}
	if v.State != "" {
		s.add(v.Home, order.CanWrite, order.WhyState)
	}
	for _, g := range v.Given {
		if !slices.ContainsFunc(v.Unheld, func(u Unheld) bool { return u.Path == g.Path }) {
			s.add(g.Path, g.Mode, g.Why)
		}
	}
	for _, path := range v.Certified {
		s.add(path, order.CanRead, order.WhyCertificates)
	}
	for _, path := range v.Implied {
		s.add(path, order.CanRead, order.WhyImplied)
	}
	for _, path := range v.Protected {
		s.add(path, order.CanRead, order.WhyProtected)
	}
	for i := range v.Covers {
		switch c := &v.Covers[i]; c.Kind {
		case Deny:
			why := order.WhySocket
			if c.Folder { // the host's own, and this product's
				why = order.WhyAlways
			}
			s.add(c.Path, order.Hidden, why)
		case ReadOnly:
			s.add(c.Path, order.CanRead, order.WhyProtected)
		}
	}
	for i := range v.Private {
		s.add(v.Private[i].Path, order.Private, order.WhyAlways)
	}
	if v.privateHome() {
		s.add(v.Home, order.Private, order.WhyAlways)
	}
	for i := range v.Nodes {
		s.node(&v.Nodes[i])
	}
	slices.SortFunc(s.all, func(a, b order.Seen) int { return comparePaths(a.Path, b.Path) })
	return s.all
}

// privateHome reports whether the home lies in another private folder: it is made on that tmpfs, without a mount.
func (v *View) privateHome() bool {
	holds := func(n Node) bool { return policy.Within(v.Home, n.Path) }
	bound := func(n Node) bool { return n.Kind == Bind && holds(n) }
	return slices.ContainsFunc(v.Private, holds) && !slices.ContainsFunc(v.Nodes, bound)
}

// seen collects paths; the first mode of each counts.
type seen struct {
	all   []order.Seen
	known map[string]bool
}

func (s *seen) add(path string, mode order.Mode, why order.Why) {
	if !s.known[path] {
		s.known[path] = true
		s.all = append(s.all, order.Seen{Path: path, Mode: mode, Why: why})
	}
}

// node adds a node of the base system. The folders on the way to others show nothing.
func (s *seen) node(n *Node) {
	switch {
	case policy.Below(n.Path, certificatesAt), n.Kind == Link && policy.Below(n.Content, certificatesAt):
	case n.Kind == File, n.Path == "/proc":
		s.add(n.Path, order.Generated, order.WhyAlways)
	case n.Kind == Bind && n.Write && !n.Device:
		s.add(n.Path, order.CanWrite, order.WhyAlways)
	case n.Kind != Dir:
		s.add(n.Path, order.CanRead, order.WhyAlways)
	}
}
