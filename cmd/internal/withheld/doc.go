// Package withheld finds what mcp-sandbox run was handed for a server that will not get it, as far as the launcher
// knows: variables that a client set, a program that fetches without network.
//
//	refusal := withheld.Look(ord) // ord.Notices has the rest
//
// What the server sees of paths is known when its view is planned; the shim adds those notices.
package withheld

import (
	"os"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Look gives an order its notices. The result is why a launch that would only hang is refused, or "".
func Look(o *order.Order) (refusal string) {
	o.Guided = true
	p, err := policy.ParseCanonical(o.Policy)
	if err != nil {
		return "" // the shim says so
	}
	if runtime.GOOS == "linux" { // elsewhere every server has the network
		fetched, hangs := fetches(o, &p)
		if hangs != "" {
			return hangs
		}
		o.Notices = append(o.Notices, fetched...)
	}
	o.Notices = append(o.Notices, proxies(o, &p)...)
	o.Notices = append(o.Notices, references(o.Env)...)
	o.Notices = append(o.Notices, forgotten(added(o.Dropped, os.Getppid(), readProcess))...)
	return ""
}
