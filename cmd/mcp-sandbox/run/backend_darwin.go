package run

import (
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/applecontainer"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// run runs the order there.
func (b *backend) run(l *pipeline.Line, ord *order.Order) int {
	tool, err := exec.LookPath("container")
	if err != nil {
		return l.Report.Refuse("--backend " + AppleContainer + ": " + err.Error() +
			" (https://github.com/apple/container, on macOS 26 and later)")
	}
	return applecontainer.Run(applecontainer.Config{Order: ord, Image: b.image, Tool: tool, Say: reexec.Say})
}
