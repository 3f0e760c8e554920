package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/planpage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// planTime is more than a launch may take until its evidence is complete.
const planTime = 40 * time.Second

// planOptions are a launch's, with what is to be printed.
func planOptions() *options {
	o := launchOptions()
	addInstall(o)
	o.heading("Output")
	o.add("calls", "", "print every system call that run would make instead", "true", truth(&o.calls))
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	return o
}

func plan(o *options, args []string) int {
	command, err := commandOf(args)
	if err == nil && o.calls && o.json {
		err = errors.New("--calls and --json: only one of them")
	}
	if err != nil {
		return usageError("mcp-sandbox plan", err.Error())
	}
	ord, why := o.order(command)
	if len(why) > 0 {
		return fail(why...)
	}
	if ord, err = withStored(o, ord, command); errors.Is(err, store.ErrNone) {
		return fail(notInstalled(o))
	}
	if err != nil {
		return fail(err.Error())
	}
	ord.Guided = true // a refusal is said as run says it
	o.tell()
	if o.report != "" {
		ord.ReportFile, _ = filepath.Abs(o.report)
	}
	p, err := policy.ParseCanonical(ord.Policy)
	switch {
	case err != nil:
		return fail(err.Error())
	case o.calls:
		return planCalls(ord, &p)
	}
	v, err := previewOf(ord, &p)
	if err != nil {
		return fail(refusalOf(err))
	}
	if o.json {
		return show(asJSON(v))
	}
	var b strings.Builder
	v.Show(page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout)})
	return show(b.String())
}

// planCalls prints the program of the strongest confinement.
func planCalls(ord *order.Order, p *policy.Policy) int {
	lines, err := ask.Calls(ord)
	if err != nil {
		return fail(err.Error())
	}
	if p.Level != policy.Privileged && p.MinConfinement != policy.Full {
		reexec.Say("confinement full; where this machine refuses it, run goes on with less, at least " +
			string(p.MinConfinement) + ": mcp-sandbox doctor tells")
	}
	return show(strings.Join(lines, "\n") + "\n")
}

// previewOf is the plan of an order, and what a trial launch of it proved.
func previewOf(ord *order.Order, p *policy.Policy) (*planpage.Preview, error) {
	planned, proved, err := foretold(ord, p, ask.Plan)
	if err != nil {
		return nil, err
	}
	return planpage.New(ord, p, planned, proved), nil
}

// foretold asks about the launch of an order in the confinement that a trial launch finds this machine to give. The
// first question says what is wrong with the policy's paths as run does.
func foretold[T any](ord *order.Order, p *policy.Policy,
	ask func(*order.Order) (T, error)) (T, *launcher.Report, error) {
	answer, err := ask(ord)
	if err != nil {
		return answer, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), planTime)
	defer cancel()
	dir := ord.Dir
	if !exists(dir) { // the policy's cwd is taken, and this process runs where nothing is
		dir = "/"
	}
	proved, err := launcher.Prove(ctx, asWritten(*p, ord), launcher.Target{Path: ord.Command[0],
		Args: ord.Command[1:], Dir: dir, Package: ord.Package})
	if err != nil || proved.Confinement == string(policy.Full) || p.Level == policy.Privileged {
		return answer, proved, err
	}
	ord.Begin = proved.Confinement
	answer, err = ask(ord)
	return answer, proved, err
}

// asWritten is an order's policy without the defaults that mean less than the same value written out.
func asWritten(p policy.Policy, ord *order.Order) policy.Policy {
	if !ord.MinWritten {
		p.MinConfinement = ""
	}
	if !ord.PidsWritten {
		p.Limits.Pids = 0
	}
	return p
}

// refusalOf is an error as run would say it.
func refusalOf(err error) string {
	if r, ok := errors.AsType[*launcher.Error](err); ok && r.Hint != "" { // a plan's error has its hint in its text
		return err.Error() + " (" + notice.InFlags(r.Hint) + ")"
	}
	return err.Error()
}
