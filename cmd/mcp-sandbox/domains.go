package main

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// noteDomains tells of flags about hosts that open more than they look like, or nothing.
func (r *review) noteDomains() {
	n := &r.policy.Network
	allowed := parsed(n.AllowedDomains)
	for _, s := range r.launch.Settings {
		var text string
		switch s.Key {
		case "network.allowedDomains":
			text = shared(s.Value)
		case "network.deniedDomains":
			text = unneeded(s.Value, allowed)
		case "network.allowPrivate", "network.checkServerName":
			if len(allowed) == 0 && s.Value == opens(s.Key) && r.policy.Level != policy.LevelNetwork &&
				r.policy.Level != policy.Privileged {
				text = "without --allow-domain there is no network"
			}
		}
		if text != "" {
			r.notes = append(r.notes, domainFlag(s)+": "+text)
		}
	}
}

// domainFlag is the flag as it is written.
func domainFlag(s source.Setting) string {
	if s.Key == "network.allowedDomains" || s.Key == "network.deniedDomains" {
		return s.Flag + " " + s.Value
	}
	return s.Flag
}

// opens is the value of a switch of the network with which more is open.
func opens(key string) string {
	if key == "network.allowPrivate" {
		return "true"
	}
	return "false"
}

// parsed are the entries of a valid list.
func parsed(list []string) (all []policy.Domain) {
	for _, s := range list {
		if d, err := policy.ParseDomain(s); err == nil {
			all = append(all, d)
		}
	}
	return all
}

// shared says of an entry that it opens names which anybody can have, or "".
func shared(entry string) string {
	d, err := policy.ParseDomain(entry)
	if err != nil || !d.Below || !policy.SharedSuffix(d.Host) {
		return ""
	}
	return "anybody can have a name below " + d.Host + ": name the one that is meant"
}

// unneeded says of a denial that nothing is allowed which it takes away, or "".
func unneeded(entry string, allowed []policy.Domain) string {
	d, err := policy.ParseDomain(entry)
	// An allowed name may resolve to a denied address.
	if err != nil || d.Address && len(allowed) > 0 ||
		slices.ContainsFunc(allowed, func(a policy.Domain) bool { return meets(a, d) }) {
		return ""
	}
	return "no --allow-domain holds it"
}

// meets reports whether a denial takes away something of what an entry allows.
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
