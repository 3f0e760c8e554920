//go:build !darwin

package main

import "github.com/security-mcp/mcp-sandbox/init/order"

// run refuses: the flag that leads here is macOS's alone, and other systems do not link what it takes.
func (b *backend) run(o *options, _ *order.Order) int {
	return o.refuse("--backend " + b.name + ": not on this system")
}
