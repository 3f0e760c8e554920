// The runtime would look at the cgroup's CPU files at start, and descriptors 3 and 4 would be its own.
//
//go:debug containermaxprocs=0

// Command mcp-sandbox-init starts one MCP server confined, for hosts in any language.
//
//	mcp-sandbox-init --policy-fd 3 -- node server.js
//
// It is the shim from its first instruction: what it links is paid for in every start, so it has a parser of
// its own for its few flags and prints its help without package fmt. A test names what must not be linked.
package main

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// version is set by the linker: -X main.version=v1.2.3.
var version = "dev"

func main() {
	reexec.Init() // the processes that a shim starts are this binary again
	reexec.RefusePrivileged()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	f, err := parse(args)
	switch {
	case f.help:
		return show(usage)
	case f.version:
		return show("mcp-sandbox-init " + version + "\n")
	}
	// The report first: whatever is wrong after it is told there, too.
	report := -1
	if f.ReportFD >= 0 {
		if bad := platform.ReportFD(f.ReportFD); bad == nil {
			report = f.ReportFD
		} else if err == nil {
			err = &usageError{"--report-fd " + strconv.Itoa(f.ReportFD) + ": " + bad.Error()}
		}
	}
	if err != nil {
		return reexec.Refuse(report, []string{err.Error()})
	}
	o, why := f.Order(policy.Init, f.command)
	if len(why) > 0 {
		return reexec.Refuse(report, why)
	}
	o.ReportFD = report
	if report >= 0 {
		o.ReportFile = platform.FileOf(report)
	}
	return reexec.Run(o)
}

// show prints what was asked for. No server runs, so standard output is free.
func show(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		return reexec.Refuse(-1, []string{"standard output: " + err.Error()})
	}
	return 0
}

const usage = `Usage: mcp-sandbox-init [flags] -- COMMAND [ARG...]

Starts one MCP server confined and stays with it until it ends. Standard input,
output and error are the server's alone.

  --policy-fd N         read the policy from descriptor N (3 or more) to its end
  --policy FILE         read the policy from a file
  --report-fd N         write what was proved to descriptor N (3 or more), as JSON Lines
  --level L             strict, standard, network or privileged; instead of the policy's
  --min-confinement C   full, reduced, limits or none: the weakest that may start the server
  --version             print the version
  --help                print this

Without a policy the server sees the base system and private folders, no file of
yours, and no network.

Exit status: the server's own; 128+N if signal N ended it; 125 if the sandbox
refused (the server has not run); 126 if COMMAND cannot be executed; 127 if it
was not found.

Examples:
  mcp-sandbox-init -- ./server --stdio
  mcp-sandbox-init --policy policy.json -- node server.js
  mcp-sandbox-init --policy-fd 3 --report-fd 4 -- uvx server 3<policy.json 4>report.jsonl
`
