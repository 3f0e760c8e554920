package explain

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// tellDeniedHosts tells of deniedDomains.
func tellDeniedHosts(t *teller) {
	const most = 1 << 20 // pairs that are compared
	few := len(t.p.Network.DeniedDomains)*len(t.p.Network.AllowedDomains) <= most
	for i, entry := range t.p.Network.DeniedDomains {
		pointer := item("/network/deniedDomains", i)
		d, err := policy.ParseDomain(entry)
		switch {
		case err != nil: // of no valid policy
		case few && Unneeded(d, t.p.Network.AllowedDomains):
			t.say(Safe, pointer, "cannot reach "+hostName(d, "")+", as without this denial: no allowed domain holds it")
		default:
			t.say(Safe, pointer, "cannot reach "+hostName(d, ""))
		}
	}
}

// Unneeded reports whether a denial takes away nothing that the entries of a list allow.
func Unneeded(denied policy.Domain, allowed []string) bool {
	// An allowed name may resolve to a denied address.
	if denied.Address && len(allowed) > 0 {
		return false
	}
	return !slices.ContainsFunc(allowed, func(entry string) bool {
		a, err := policy.ParseDomain(entry)
		return err == nil && meets(a, denied)
	})
}

// meets reports whether a denial takes away a part of an allowed entry.
func meets(allowed, denied policy.Domain) bool {
	switch {
	case denied.Port == 0 || denied.Port == allowed.Port:
	case allowed.Port != 0 || denied.Port != 80 && denied.Port != 443:
		return false
	}
	below := func(name, host string) bool { return strings.HasSuffix(name, "."+host) }
	switch {
	case allowed.Below && denied.Below:
		return allowed.Host == denied.Host || below(allowed.Host, denied.Host) || below(denied.Host, allowed.Host)
	case allowed.Below:
		return below(denied.Host, allowed.Host)
	case denied.Below:
		return below(allowed.Host, denied.Host)
	}
	return allowed.Host == denied.Host
}
