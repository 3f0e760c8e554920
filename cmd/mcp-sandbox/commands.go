package main

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/plan"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/profile"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/run"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/state"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/store"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/why"
	"github.com/security-mcp/mcp-sandbox/cmd/mcp-sandbox/wrap"
)

// commands are all of them, in the order of the help.
func commands() []cli.Command {
	return slices.Concat([]cli.Command{run.Command(), plan.Command(), doctorCommand(), why.Command()},
		policy.Commands(), store.Commands(), profile.Commands(), state.Commands(), wrap.Commands(),
		[]cli.Command{serveCommand(), reportCommand(), completionCommand(), versionCommand(), helpCommand()})
}
