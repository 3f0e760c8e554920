// Package withheld finds what mcp-sandbox run was handed for a server that will not get it, as far as the launcher
// knows: variables that a client set, a program that fetches without network.
//
//	notices, refusal := withheld.Look(o, &p)
//
// What the server sees of paths is known when its view is planned; the shim adds those notices.
package withheld

import (
	"os"
	"runtime"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Look finds the notices of a launch with its policy, or why a launch that would only hang is refused.
func Look(o *order.Order, p *policy.Policy) (all []order.Notice, refusal string) {
	if runtime.GOOS == "linux" { // elsewhere every server has the network
		if all, refusal = fetches(o, p); refusal != "" {
			return nil, refusal
		}
	}
	lost := forgotten(added(o.Dropped, os.Getppid(), readProcess))
	return slices.Concat(all, proxies(o, p), references(o.Env), lost), ""
}
