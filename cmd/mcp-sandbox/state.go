package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func stateCommands() []command {
	return []command{{
		name: "state list", args: "[--json]", short: "list the homes that last",
		long: `Lists the homes that servers were given with --state NAME: how much of the disk
each takes, when the last launch began, and the folder.
`,
		tips:  "  mcp-sandbox state list\n  mcp-sandbox state list --json | jq -r '.states[].name'\n",
		flags: jsonOptions, run: listStates,
	}, {
		name: "state rm", args: "[--json] NAME...", short: "remove homes that last",
		long: `Removes the homes of these names, whatever the servers left there. A home that a
server is using stays. The exit status is 125 if one could not be removed. --json
prints the names of those that were.
`,
		tips:  "  mcp-sandbox state rm acme\n  mcp-sandbox state rm --json acme other | jq -r '.removed[]'\n",
		flags: jsonOptions, run: removeStates,
	}}
}

func listStates(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox state list", "unexpected "+text.Quote(args[0]))
	}
	sayKept(o, statesVariable)
	all, err := state.List()
	if err != nil {
		return fail("state list: " + err.Error())
	}
	if o.json {
		return show(asJSON(struct {
			States []state.Info `json:"states"`
		}{append([]state.Info{}, all...)}))
	}
	var b strings.Builder
	for _, s := range all {
		used := s.Used.Local().Format(time.DateTime)
		fmt.Fprintf(&b, "%-24s %8s  %s  %s\n", s.Name, sizeText(s.Bytes), used, text.Printable(s.Path))
	}
	return show(b.String())
}

// sizeText is a number of bytes in the unit that leaves one to four digits.
func sizeText(bytes int64) string {
	unit := 0
	for ; bytes >= 10_000 && unit < 4; unit++ {
		bytes >>= 10
	}
	return strconv.FormatInt(bytes, 10) + "BKMGT"[unit:unit+1]
}

func removeStates(o *options, args []string) int {
	if args = namesOf(args); len(args) == 0 {
		return usageError("mcp-sandbox state rm", "no name: mcp-sandbox state list has the names")
	}
	for _, name := range args {
		if err := policy.CheckState(name); err != nil {
			return fail("state rm: " + err.Error())
		}
	}
	sayKept(o, statesVariable)
	code, removed := 0, []string{}
	for _, name := range args {
		err := state.Remove(name)
		if err == nil {
			removed = append(removed, name)
			continue
		}
		code = fail("state rm " + name + ": " + err.Error())
		if left, ok := errors.AsType[*state.Left](err); ok {
			for _, path := range left.Paths {
				reexec.Say("state rm " + name + ": left: " + text.Printable(path))
			}
		}
	}
	if o.json {
		return cmp.Or(code, show(asJSON(struct {
			Removed []string `json:"removed"`
		}{removed})))
	}
	return code
}
