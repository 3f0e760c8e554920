//go:build !darwin

package run

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// run refuses: the flag that leads here is macOS's alone, and other systems do not link what it takes.
func (b *backend) run(l *pipeline.Line, _ *order.Order) int {
	return l.Report.Refuse("--backend " + b.name + ": not on this system")
}
