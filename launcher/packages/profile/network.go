package profile

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// WithoutNetwork is the profile without the hosts that it adds; a file that names hosts stays one to read.
func (p *Profile) WithoutNetwork() *Profile {
	without := *p
	without.Policy.Network, without.HostsFrom = policy.Network{}, nil
	without.Arguments = slices.DeleteFunc(slices.Clone(p.Arguments), func(a Argument) bool { return a.Grant == Host })
	for i := range without.Arguments {
		without.Arguments[i].Key = ""
	}
	return &without
}
