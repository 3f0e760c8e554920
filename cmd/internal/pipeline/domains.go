package pipeline

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// noteDomains tells of flags about hosts that open more than they look like, or nothing.
func (r *review) noteDomains() {
	n := &r.policy.Network
	for _, s := range r.line.Settings {
		var text string
		switch s.Key {
		case "network.allowedDomains":
			if d, err := policy.ParseDomain(s.Value); err == nil {
				text = explain.Shared(d)
			}
		case "network.deniedDomains":
			if d, err := policy.ParseDomain(s.Value); err == nil && explain.Unneeded(d, n.AllowedDomains) {
				text = "no --allow-domain opens this host, so the denial has no effect"
			}
		case "network.allowPrivate", "network.checkServerName":
			if len(n.AllowedDomains) == 0 && s.Value == opens(s.Key) && r.policy.Level != policy.LevelNetwork &&
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
func domainFlag(s launchflags.Setting) string {
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
