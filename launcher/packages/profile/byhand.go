package profile

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// byHand has the grants of the user, without the profile's. A line about these would stay, whatever is typed.
type byHand struct {
	read, write []string // without links
	hosts       bool
}

func newByHand(p *policy.Policy, l *limits, dir string) (h byHand) {
	h.write = l.allFound(p.Filesystem.AllowWrite, dir)
	h.read = append(l.allFound(p.Filesystem.AllowRead, dir), h.write...)
	if p.Level == policy.Strict {
		h.write = h.read
	}
	h.hosts = len(p.Network.AllowedDomains) > 0
	return h
}

// has reports whether a path is granted: not by a link that a server could have made.
func (h *byHand) has(f folder) bool {
	grants := h.read
	if f.write {
		grants = h.write
	}
	return f.real != "" && !linkIn(f.written, h.write) &&
		slices.ContainsFunc(grants, func(at string) bool { return platform.Within(f.real, at) })
}
