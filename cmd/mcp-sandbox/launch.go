package main

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func launchOptions() *options {
	o := newOptions()
	o.addLaunch()
	o.addPolicy()
	return o
}

// runOptions are a launch's, with where it is to run.
func runOptions() *options {
	o := launchOptions()
	o.addBackend()
	return o
}

func run(o *options, args []string) int {
	command, err := source.Command(args)
	if err == nil {
		err = o.backend.check()
	}
	if bad := o.openReport(); err == nil {
		err = bad
	}
	if err != nil {
		return o.refuse(hinted("mcp-sandbox run", err.Error()))
	}
	ord, why := o.order(command)
	if len(why) > 0 {
		return o.refuse(why...)
	}
	if ord.ReportFD = o.ReportFD; o.ReportFD >= 0 {
		ord.ReportFile = platform.FileOf(o.ReportFD)
	}
	if o.backend.name != "" {
		return o.backend.run(o, ord)
	}
	return o.refuse(reexec.Exec(ord).Error())
}

// order makes the order of a launch, or says why there is none.
func (o *options) order(command []string) (*order.Order, []string) {
	if err := o.Check(); err != nil {
		return nil, []string{hinted("mcp-sandbox run", err.Error())}
	}
	ord, why := o.Order(policy.Run, command)
	if len(why) > 0 {
		return nil, why
	}
	if o.flags.TTY && o.flags.StdoutGuard { // a terminal takes lines apart and echoes what is typed
		return nil, []string{hinted("mcp-sandbox run", "--tty and --stdout-guard: only one of them")}
	}
	ord.Verbose, ord.TTY, ord.StdoutGuard = o.flags.Verbose, o.flags.TTY, o.flags.StdoutGuard
	return ord, nil
}
