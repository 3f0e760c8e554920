// Package plan is the command that says what a server would see, get and reach.
package plan

import (
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/planpage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Command is plan.
func Command() cli.Command {
	return cli.Command{
		Name: "plan", Args: "[run's flags] [--] COMMAND [ARG...]",
		Short: "say what a server would see, get and reach",
		Long: `Says in a page what run with the same flags would show COMMAND: each path and why
it is there, the names of variables, the network, and for whom the limits hold.
COMMAND does not run. The confinement is tried in a process that is thrown away, as
doctor does. Where run would be refused, so is plan, with 125.

With --calls it prints the program that run would confine COMMAND with: one system
call a line, with its number, its layer and the result it demands. That starts no
process, and so cannot know what this machine refuses: it is the program that run
begins with, of the strongest confinement.
`,
		Tips: `  mcp-sandbox plan --allow-read ~/notes -- node server.js
  mcp-sandbox plan --json -- ./server | jq -r '.sees[] | .mode + " " + .path'
  mcp-sandbox plan --calls -- ./server | grep seccomp
`,
		Setup: setup,
	}
}

func setup(f *cli.Flags) cli.Run {
	l := pipeline.ForLaunch(f)
	l.Install.AddFlags()
	f.Heading("Output")
	calls := false
	f.Switch("calls", "print every system call that run would make instead", &calls)
	json := f.JSON()
	return func(args []string) int {
		command, err := pipeline.Command(args)
		if err == nil && calls && *json {
			err = errors.New("--calls and --json: only one of them")
		}
		if err != nil {
			return cli.UsageError("plan", err.Error())
		}
		o, d, why := orderOf(f, l, command)
		switch {
		case len(why) > 0:
			return cli.Fail(why...)
		case calls:
			return showCalls(o, &d.Policy)
		}
		planned, proved, err := pipeline.Foretell(o, d.Settled, ask.Plan)
		if err != nil {
			return cli.Fail(pipeline.Refusal(err))
		}
		v := planpage.New(o, &d.Policy, planned, proved)
		if *json {
			return cli.ShowJSON(v)
		}
		var b strings.Builder
		v.Show(page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout)})
		return cli.Show(b.String())
	}
}

// orderOf makes the order that run would make.
func orderOf(f *cli.Flags, l *pipeline.Line, command []string) (*order.Order, *pipeline.Decision, []string) {
	s := l.Start(command)
	d, why := l.Decide(s, nil)
	if len(why) > 0 {
		return nil, nil, why
	}
	ready, err := l.Find(s)
	switch {
	case errors.Is(err, store.ErrNone):
		return nil, nil, []string{l.Install.Missing(s.Package)}
	case err != nil:
		return nil, nil, []string{err.Error()}
	}
	if d, why = l.DecideOwner(s, d, ready); len(why) > 0 {
		return nil, nil, why
	}
	f.Stderr.All(f.Notes, s.Notes, d.Notes)
	return l.Order(s, d, ready), d, nil
}

// showCalls prints the program of the strongest confinement.
func showCalls(o *order.Order, p *policy.Policy) int {
	lines, err := ask.Calls(o)
	if err != nil {
		return cli.Fail(err.Error())
	}
	if p.Level != policy.Privileged && p.MinConfinement != policy.Full {
		reexec.Say("confinement full; where this machine refuses it, run goes on with less, at least " +
			string(p.MinConfinement) + ": mcp-sandbox doctor tells")
	}
	return cli.Show(strings.Join(lines, "\n") + "\n")
}
