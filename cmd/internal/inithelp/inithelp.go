// Package inithelp is the help of mcp-sandbox-init, as a text for terminals and as the parts of a manual page.
//
//	os.Stdout.WriteString(inithelp.Usage())
//
// mcp-sandbox-init is the shim from its first instruction, so the package links nothing.
package inithelp

import "strings"

// Synopsis is the program with its words.
const Synopsis = "mcp-sandbox-init [flags] -- COMMAND [ARG...]"

// What the program does, above the flags, and below them.
const (
	Text = `Starts one MCP server confined and stays with it until it ends. Standard input,
output and error are the server's alone.
`
	More = `Without a policy the server sees the base system and an empty home and /tmp, no
file of yours, and no network.

Exit status: the server's own; 128+N if signal N ended it; 124 if the policy's time
limit did; 125 if the sandbox refused (the server has not run); 126 if COMMAND cannot
be executed; 127 if it was not found.
`
	Tips = `  mcp-sandbox-init -- ./server --stdio
  mcp-sandbox-init --policy policy.json -- node server.js
  mcp-sandbox-init --policy-fd 3 --report-fd 4 -- node server.js 3<policy.json 4>report.jsonl
`
)

// A Flag is one line of the help.
type Flag struct{ Name, Value, Text string }

// Flags are all flags, in the order of the help.
func Flags() []Flag {
	return []Flag{
		{"policy-fd", "N", "read the policy from descriptor N (3 or more) to its end"},
		{"policy", "FILE", "read the policy from a file"},
		{"report-fd", "N", "write what was proved to descriptor N (3 or more), as JSON Lines"},
		{"level", "L", "strict, standard, network or privileged; instead of the policy's"},
		{"min-confinement", "C", "full, reduced, limits or none: the weakest that may start the server"},
		{"version", "", "print the version, the commit and the version of Go"},
		{"help", "", "print this"},
	}
}

// Usage is the text of --help.
func Usage() string {
	const width = 20 // of the column of flags
	text := "Usage: " + Synopsis + "\n\n" + Text + "\n"
	for _, f := range Flags() {
		flag := strings.TrimRight("--"+f.Name+" "+f.Value, " ")
		text += "  " + flag + strings.Repeat(" ", width-len(flag)) + "  " + f.Text + "\n"
	}
	return text + "\n" + More + "\nExamples:\n" + Tips
}
