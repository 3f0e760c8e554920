package main

import (
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/applecontainer"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// run runs the order there.
func (b *backend) run(o *options, ord *order.Order) int {
	tool, err := exec.LookPath("container")
	if err != nil {
		return o.refuse("--backend " + appleContainer + ": " + err.Error() +
			" (https://github.com/apple/container, on macOS 26 and later)")
	}
	return applecontainer.Run(applecontainer.Config{Order: ord, Image: b.image, Tool: tool, Say: reexec.Say})
}
