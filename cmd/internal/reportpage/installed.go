package reportpage

import (
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// installed says which package the command belongs to.
func installed(p *order.PackageID) [][]page.Cell {
	if p == nil {
		return nil
	}
	return join(line("package", p.Manager+" package "+p.Name+" "+p.Version+", asked for as "+p.Spec),
		line("from", p.Registry), line("integrity", p.Integrity), line("folder", p.Path))
}
