package main

func whyCommand() command {
	return command{
		name: "why", args: "[--json] [REPORT]", short: "list what a server was refused, and what would allow it",
		long: `Lists what a server was refused while it ran, the most frequent first: how often,
what, why, and the flag that would allow it. REPORT is a file that run --report
wrote; without it the last of those that run keeps in
$XDG_STATE_HOME/mcp-sandbox/reports is read. The file may come from a stranger.

The exit status is 0 if nothing was refused, 1 if something was, and 125 for a file
that is no report, or was cut off or changed.
`,
		tips: `  mcp-sandbox why
  mcp-sandbox why report.jsonl
  mcp-sandbox why --json | jq -r '.denied[].flag'
`,
		flags: jsonOptions, run: why,
	}
}

func why(o *options, args []string) int { return whyReport(o, args) }
