package install

import (
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/golang"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/python"
)

// managers is the table. Of a manager that is not here nothing is installed: its lines run as they are.
var managers = [...]*job.Manager{&npm.Manager, &python.Manager, &golang.Manager}

func managerOf(name string) *job.Manager {
	for _, m := range managers {
		if m.Name == name {
			return m
		}
	}
	return nil
}
