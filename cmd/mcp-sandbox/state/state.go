// Package state has the commands about homes that last.
package state

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Commands are those about homes that last.
func Commands() []cli.Command {
	return []cli.Command{{
		Name: "state list", Args: "[--json]", Short: "list the homes that last",
		Long: `Lists the homes that servers were given with --state NAME: how much of the disk
each takes, when the last launch began, and the folder.
`,
		Tips:  "  mcp-sandbox state list\n  mcp-sandbox state list --json | jq -r '.states[].name'\n",
		Setup: cli.WithJSON(listStates),
	}, {
		Name: "state rm", Args: "[--json] NAME...", Short: "remove homes that last",
		Long: `Removes the homes of these names, whatever the servers left there. A home that a
server is using stays. The exit status is 125 if one could not be removed. --json
prints the names of those that were.
`,
		Tips:  "  mcp-sandbox state rm acme\n  mcp-sandbox state rm --json acme other | jq -r '.removed[]'\n",
		Setup: cli.WithJSON(removeStates),
	}}
}

func listStates(f *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("state list", err.Error())
	}
	f.Stderr.Kept(cli.StatesVariable)
	all, err := state.List()
	if err != nil {
		return cli.Fail("state list: " + err.Error())
	}
	if json {
		return cli.ShowJSON(struct {
			States []state.Info `json:"states"`
		}{append([]state.Info{}, all...)})
	}
	var b strings.Builder
	for _, s := range all {
		used := s.Used.Local().Format(time.DateTime)
		fmt.Fprintf(&b, "%-24s %8s  %s  %s\n", s.Name, page.Size(s.Bytes), used, text.Printable(s.Path))
	}
	return cli.Show(b.String())
}

func removeStates(f *cli.Flags, json bool, args []string) int {
	if args = cli.Operands(args); len(args) == 0 {
		return cli.UsageError("state rm", "no name: mcp-sandbox state list has the names")
	}
	for _, name := range args {
		if err := policy.CheckState(name); err != nil {
			return cli.Fail("state rm: " + err.Error())
		}
	}
	f.Stderr.Kept(cli.StatesVariable)
	code, removed := 0, []string{}
	for _, name := range args {
		err := state.Remove(name)
		if err == nil {
			removed = append(removed, name)
			continue
		}
		code = cli.Fail("state rm " + name + ": " + err.Error())
		if left, ok := errors.AsType[*state.Left](err); ok {
			for _, path := range left.Paths {
				reexec.Say("state rm " + name + ": left: " + text.Printable(path))
			}
		}
	}
	if json {
		return cmp.Or(code, cli.ShowJSON(struct {
			Removed []string `json:"removed"`
		}{removed}))
	}
	return code
}
