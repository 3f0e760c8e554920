package launch

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/ladder"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// unheldDomains is the key, and the first entry, of a list of domains that the present confinement cannot hold: nothing
// is opened by name without a network namespace. The filter leaves no network at all, which satisfies a list of denials
// alone; a kernel without a filter leaves the host's.
func unheldDomains(l *Launch) (key, entry string) {
	n, c := &l.Policy.Network, l.Ladder.Confinement
	switch {
	case c == policy.Full || c == policy.None || l.Policy.Level == policy.LevelNetwork || pairs(l):
	case len(n.AllowedDomains) > 0:
		return ladder.AllowedDomains, n.AllowedDomains[0]
	case len(n.DeniedDomains) > 0 && l.Ladder.NoFilter:
		return "network.deniedDomains", n.DeniedDomains[0]
	}
	return "", ""
}

// pairs reports whether the present confinement has the launcher make the server's sockets, so that a list of domains
// is held without a network namespace.
func pairs(l *Launch) bool {
	return l.noPairs == nil && l.Ladder.Confinement == policy.Reduced && layers.OpensHosts(&l.Policy)
}

// withoutPairs reports whether a refused attempt may be made again without sockets of the launcher's: where it was the
// filter that was refused, or the proof of the sockets.
func withoutPairs(l *Launch, err error) bool {
	var r *order.Refusal
	if !pairs(l) || !errors.As(err, &r) || r.Layer != order.Seccomp && r.Layer != order.Network {
		return false
	}
	l.noPairs = r
	return true
}

// unheldPublish is the first entry of a list of published ports that the present confinement cannot hold.
func unheldPublish(l *Launch) (entry string) {
	if l.Ladder.Confinement == policy.Full || !layers.HasPublish(&l.Policy) {
		return ""
	}
	return l.Policy.Network.Publish[0]
}

// NotHeld are the keys of the policy that a sandbox does not hold. There are some only where the policy itself lets the
// server start so.
func NotHeld(s *Sandbox) (keys []string) {
	has := " (the server has no network)"
	if s.launch.Ladder.NoFilter {
		has = " (the server has the host's network)"
	}
	if key, _ := unheldDomains(s.launch); key != "" {
		keys = append(keys, key+has)
	}
	if unheldPublish(s.launch) != "" {
		keys = append(keys, ladder.Publish+has)
	}
	for _, u := range s.View.Unheld {
		keys = append(keys, u.Key+" "+u.Path)
	}
	return keys
}
