package launchflags

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestWeaken(t *testing.T) {
	file, fd := Source{File: "p.json", FD: -1}, Source{FD: 3}
	off, none := policy.Policy{Level: policy.Privileged}, policy.Policy{MinConfinement: policy.None}
	for _, c := range []struct {
		name       string
		source     Source
		policy     policy.Policy
		level, min string // what the flags say
		refused    bool
	}{
		{"privileged in a file", file, off, "", "", true},
		{"and another flag", file, off, "", "none", true},
		{"and its flag", file, off, "privileged", "", false},
		{"a flag that overrides it", file, off, "standard", "", false},
		{"privileged from the host", fd, off, "", "", false},
		{"none in a file", file, none, "", "", true},
		{"and another level", file, none, "network", "", true},
		{"and the flag", file, none, "", "none", false},
		{"none and level privileged by flag", file, none, "privileged", "", false},
		{"none from the host", fd, none, "", "", false},
		{"neither", file, policy.Policy{Level: policy.LevelNetwork, MinConfinement: policy.ConfinementLimits}, "", "", false},
	} {
		if err := c.source.Weaken(c.policy, c.level, c.min); (err != nil) != c.refused {
			t.Errorf("%s: %v, want an error: %v", c.name, err, c.refused)
		}
	}
}
