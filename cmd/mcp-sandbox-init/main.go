// The runtime would look at the cgroup's CPU files at start, and descriptors 3 and 4 would be its own.
//
//go:debug containermaxprocs=0

// Command mcp-sandbox-init starts one MCP server confined, for hosts in any language.
//
//	mcp-sandbox-init --policy-fd 3 -- node server.js
//
// The program is the shim from its first instruction: every start pays for each linked package. So the program has its
// own parser for its few flags and prints its help without package fmt. A test names the forbidden packages.
package main

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/inithelp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func main() {
	reexec.Init() // the processes that a shim starts are this binary again
	reexec.RefusePrivileged()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	f, err := parse(args)
	switch {
	case f.help:
		return show(inithelp.Usage())
	case f.version:
		return show(build.Read("mcp-sandbox-init").String() + "\n")
	}
	// The report is checked first: later refusals go there too.
	if bad := f.CheckReport(); bad != nil && err == nil {
		err = &usageError{bad.Error()}
	}
	if err != nil {
		return reexec.Refuse(f.ReportFD, []string{err.Error()})
	}
	reexec.Reach(nil, args, "", func() int { return f.ReportFD })
	o, why := orderOf(f)
	if len(why) > 0 {
		return reexec.Refuse(f.ReportFD, why)
	}
	if o.ReportFD = f.ReportFD; o.ReportFD >= 0 {
		o.ReportFile = platform.FileOf(o.ReportFD)
	}
	return reexec.Run(o)
}

// orderOf makes the order of the command line, or says why there is none.
func orderOf(f *flags) (*order.Order, []string) {
	here, err := f.Here()
	if err != nil {
		return nil, []string{err.Error()}
	}
	p, why := f.Policy(here.Dir, here.Home)
	if len(why) > 0 {
		return nil, why
	}
	settled, why := f.Settle(p, policy.Init, here)
	if len(why) > 0 {
		return nil, why
	}
	return here.Order(settled, f.command), nil
}

// show prints what was asked for. No server runs, so standard output is free.
func show(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		return reexec.Refuse(-1, []string{"standard output: " + err.Error()})
	}
	return 0
}
