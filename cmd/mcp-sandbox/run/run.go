// Package run is the command that starts a server confined. Its process becomes the shim by execve.
package run

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/installing"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// Command is run.
func Command() cli.Command {
	return cli.Command{
		Name: "run", Args: "[flags] [--] COMMAND [ARG...]", Short: "start a server confined",
		Long: `Starts COMMAND confined and stays with it until it ends. Standard input, output
and error are the server's alone. Without flags it sees the base system, the
files of COMMAND itself, and an empty home and /tmp that are thrown away at the
end, and has no network. COMMAND is the first word that is no flag: what follows
it is the server's.

The exit status is the server's own; 128+N if signal N ended it; 124 if the time
limit did (--timeout); 125 if the sandbox refused (the server has not run); 126 if
COMMAND cannot be executed; 127 if it was not found.
`,
		Tips: `  mcp-sandbox run -- ./server --stdio
  mcp-sandbox run --allow-read ~/notes --env NODE_ENV=production node server.js
  mcp-sandbox run --env 'NOTION_*' --allow-domain api.notion.com node notion.js
  mcp-sandbox run --policy policy.json --report report.jsonl -- ./server
`,
		Setup: setup,
	}
}

func setup(f *cli.Flags) cli.Run {
	l := pipeline.ForLaunch(f)
	l.Install.AddFlags()
	b := addBackend(f)
	l.Report.Keep = true
	return func(args []string) int { return run(f, l, b, args) }
}

func run(f *cli.Flags, l *pipeline.Line, b *backend, args []string) int {
	command, err := pipeline.Command(args)
	if err == nil {
		err = b.check()
	}
	if bad := l.Report.Open(); err == nil {
		err = bad
	}
	if err != nil {
		return l.Report.Refuse(cli.Hinted("run", err.Error()))
	}
	s := l.Start(command)
	d, why := l.Decide(s, nil)
	if len(why) > 0 {
		return l.Report.Refuse(why...)
	}
	if b.name != "" {
		f.Stderr.All(f.Notes, s.Notes, d.Notes)
		return b.run(l, l.Order(s, d, nil))
	}
	ready, note, err := l.Prepare(s, d)
	if err != nil {
		return max(l.Report.Refuse(err.Error()), installing.ExitCode(err))
	}
	if d, why = l.DecideOwner(s, d, ready); len(why) > 0 {
		return l.Report.Refuse(why...)
	}
	o := l.Order(s, d, ready)
	notices, refusal := withheld.Look(o, &d.Policy)
	notes := slices.Concat(f.Notes, s.Notes, d.Notes, note)
	if refusal != "" { // then the command does not run at all
		for i := range notes {
			notes[i] = strings.TrimSuffix(notes[i], pipeline.AsItIs)
		}
	}
	f.Stderr.All(notes)
	if refusal != "" {
		return l.Report.Refuse(refusal)
	}
	o.Notices = append(o.Notices, notices...)
	return l.Report.Refuse(reexec.Exec(o).Error())
}
