package main

import "slices"

// A command is one word or two after the program's name.
type command struct {
	name  string // "run", "policy show"
	args  string // the words after the name, for its usage
	short string // one line
	long  string // the text of --help above the flags; the examples come below
	tips  string // examples
	blind bool   // looks at no file
	flags func() *options
	run   func(o *options, args []string) int
}

// commands are all of them, in the order of the help.
func commands() []command {
	return slices.Concat(serverCommands(), []command{whyCommand()}, policyCommands(), []command{installCommand()},
		storeCommands(), profileCommands(), stateCommands(), wrapCommands(), []command{reportCommand(),
			completionCommand(), versionCommand(), helpCommand()})
}

// serverCommands are about a server and the machine.
func serverCommands() []command {
	return []command{{
		name: "run", args: "[flags] [--] COMMAND [ARG...]", short: "start a server confined",
		long: `Starts COMMAND confined and stays with it until it ends. Standard input, output
and error are the server's alone. Without flags it sees the base system, the
files of COMMAND itself, and an empty home and /tmp that are thrown away at the
end, and has no network. COMMAND is the first word that is no flag: what follows
it is the server's.

The exit status is the server's own; 128+N if signal N ended it; 124 if the time
limit did (--timeout); 125 if the sandbox refused (the server has not run); 126 if
COMMAND cannot be executed; 127 if it was not found.
`,
		tips: `  mcp-sandbox run -- ./server --stdio
  mcp-sandbox run --allow-read ~/notes --env NODE_ENV=production node server.js
  mcp-sandbox run --env 'NOTION_*' --allow-domain api.notion.com node notion.js
  mcp-sandbox run --policy policy.json --report report.jsonl -- ./server
`,
		flags: runOptions, run: run,
	}, {
		name: "plan", args: "[run's flags] [--] COMMAND [ARG...]", short: "say what a server would see, get and reach",
		long: `Says in a page what run with the same flags would show COMMAND: each path and why
it is there, the names of variables, the network, and for whom the limits hold.
COMMAND does not run. The confinement is tried in a process that is thrown away, as
doctor does. Where run would be refused, so is plan, with 125.

With --calls it prints the program that run would confine COMMAND with: one system
call a line, with its number, its layer and the result it demands. That starts no
process, and so cannot know what this machine refuses: it is the program that run
begins with, of the strongest confinement.
`,
		tips: `  mcp-sandbox plan --allow-read ~/notes -- node server.js
  mcp-sandbox plan --json -- ./server | jq -r '.sees[] | .mode + " " + .path'
  mcp-sandbox plan --calls -- ./server | grep seccomp
`,
		flags: planOptions, run: plan,
	}, {
		name: "doctor", args: "[--json]", short: "try what confinement this machine gives",
		long: `Tries everything that a launch needs, in processes that are thrown away, and prints
what came of it, a line each: [✓] it works, [!] it is limited, [✗] it is missing;
below a gap what to do about it. Changes nothing on this machine.

The exit status is 0 if a server of level standard can start here, and else 1.
`,
		tips:  "  mcp-sandbox doctor\n  mcp-sandbox doctor --json | jq -r .confinement\n",
		flags: jsonOptions, run: doctor,
	}}
}

func policyCommands() []command {
	return []command{{
		name: "policy check", args: "[--json] FILE", short: "find everything that is wrong with a policy file",
		long: `Exits with 0 if FILE is a policy, and says what the policy opens wide, or to danger:
the lines of policy explain with these verdicts. Otherwise prints everything that
is wrong with FILE, one thing a line with its place, and exits with 125.
`,
		tips: "  mcp-sandbox policy check policy.json && echo fine\n" +
			"  mcp-sandbox policy check --json policy.json | jq '.warnings[].text'\n",
		flags: jsonOptions, run: check,
	}, {
		name: "policy show", args: "[flags] [FILE] [-- COMMAND [ARG...]]",
		short: "print a policy with all its defaults filled in",
		long: `Prints the policy that a launch with the same file and flags would have, as JSON
with the level's defaults. The policySHA256 of a report is of these bytes. With
COMMAND the profile of the package that it starts is part of the policy.
`,
		tips: `  mcp-sandbox policy show
  mcp-sandbox policy show --level network --memory 512M policy.json
  mcp-sandbox policy show --for init policy.json | sha256sum
  mcp-sandbox policy show -- npx -y @modelcontextprotocol/server-github
`,
		flags: showOptions, run: showPolicy,
	}, {
		name: "policy schema", args: "[--json]", short: "print the JSON Schema of policies",
		long:  "Prints the JSON Schema (2020-12) of policies, for editors that check while you write.\n",
		tips:  "  mcp-sandbox policy schema > policy.schema.json\n",
		flags: jsonOptions, run: showSchema,
	}, {
		name: "policy explain", args: "[--json] FILE", short: "say in sentences what a policy opens",
		long: explainHelp(),
		tips: "  mcp-sandbox policy explain policy.json\n" +
			"  mcp-sandbox policy explain --json policy.json | jq -r .verdict\n",
		flags: jsonOptions, run: explainPolicy,
	}}
}
