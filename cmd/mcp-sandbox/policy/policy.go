// Package policy has the commands about a policy by itself.
package policy

import (
	"errors"
	"os"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/judge"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/schema"
)

// Commands are those about policies.
func Commands() []cli.Command {
	return []cli.Command{{
		Name: "policy check", Args: "[--json] FILE", Short: "find everything that is wrong with a policy file",
		Long: `Exits with 0 if FILE is a policy, and says what the policy opens wide, or to danger:
the lines of policy explain with these verdicts. Otherwise prints everything that
is wrong with FILE, one thing a line with its place, and exits with 125.
`,
		Tips: "  mcp-sandbox policy check policy.json && echo fine\n" +
			"  mcp-sandbox policy check --json policy.json | jq '.warnings[].text'\n",
		Setup: cli.WithJSON(check),
	}, {
		Name: "policy show", Args: "[flags] [FILE] [-- COMMAND [ARG...]]",
		Short: "print a policy with all its defaults filled in",
		Long: `Prints the policy that a launch with the same file and flags would have, as JSON
with the level's defaults. The policySHA256 of a report is of these bytes. With
COMMAND the profile of the package that it starts is part of the policy.
`,
		Tips: `  mcp-sandbox policy show
  mcp-sandbox policy show --level network --memory 512M policy.json
  mcp-sandbox policy show --for init policy.json | sha256sum
  mcp-sandbox policy show -- npx -y @modelcontextprotocol/server-github
`,
		Setup: setupShow,
	}, {
		Name: "policy schema", Args: "[--json]", Short: "print the JSON Schema of policies",
		Long:  "Prints the JSON Schema (2020-12) of policies, for editors that check while you write.\n",
		Tips:  "  mcp-sandbox policy schema > policy.schema.json\n",
		Setup: cli.WithJSON(showSchema),
	}, {
		Name: "policy explain", Args: "[--json] FILE", Short: "say in sentences what a policy opens",
		Long: explainHelp(),
		Tips: "  mcp-sandbox policy explain policy.json\n" +
			"  mcp-sandbox policy explain --json policy.json | jq -r .verdict\n",
		Setup: cli.WithJSON(explainPolicy),
	}}
}

func setupShow(f *cli.Flags) cli.Run {
	l := pipeline.New(f)
	f.TakesCommand = false // its word in front of "--" is a file
	program := policy.Run
	f.Value("for", "init|run", "as mcp-sandbox-init or as mcp-sandbox run would have it (default run)",
		setProgram(&program))
	f.Switch("json", "print it as JSON, as without this flag", new(bool))
	l.AddPolicy()
	l.AddProfile()
	return func(args []string) int {
		var command []string
		if i := slices.Index(args, "--"); i >= 0 {
			args, command = args[:i], args[i+1:]
		}
		var err error
		if l.Source.File, err = cli.File(args, false); err != nil {
			return cli.UsageError("policy show", err.Error())
		}
		s := &pipeline.Start{}
		if len(command) > 0 {
			s = l.Start(command)
		}
		p, why := l.Effective(s, program)
		if len(why) > 0 {
			return cli.Fail(why...)
		}
		return cli.Show(string(p.AppendJSON(nil)))
	}
}

func setProgram(at *policy.Program) func(string) error {
	return func(s string) error {
		switch s {
		case "init":
			*at = policy.Init
		case "run":
			*at = policy.Run
		default:
			return errors.New(strconv.Quote(s) + " is neither init nor run")
		}
		return nil
	}
}

// judged reads the policy of a file, checks all of it, and says what it opens.
func judged(src launchflags.Source) (explain.Explanation, error) {
	dir, err := launchflags.Folder()
	if err != nil {
		return explain.Explanation{}, err
	}
	p, err := src.Read(dir, order.Home(os.Environ()))
	if err == nil {
		err = reexec.KnownCalls(&p)
	}
	if err != nil {
		return explain.Explanation{}, err
	}
	f := &p.Filesystem
	reexec.Reach(nil, slices.Concat(f.AllowRead, f.AllowWrite, f.DenyRead, f.DenyWrite), "", func() int { return -1 })
	return judge.Of(p, src.Path(dir)), nil
}

func showSchema(f *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("policy schema", err.Error())
	}
	return cli.Show(string(schema.JSON()))
}
