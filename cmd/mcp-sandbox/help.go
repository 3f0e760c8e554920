package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// helpCommand has the words of the other commands as its arguments.
func helpCommand() cli.Command {
	return cli.Command{
		Name: "help", Args: "[--man] [COMMAND]", Short: "say what a command does",
		Long: `Prints what mcp-sandbox COMMAND --help prints. Without COMMAND it lists the commands.
`,
		Tips: "  mcp-sandbox help run\n  mcp-sandbox help policy show\n  mcp-sandbox help --man run | man -l -\n",
		Setup: func(f *cli.Flags) cli.Run {
			man := false
			f.Switch("man", "print the manual page instead, in the language of man(7)", &man)
			return func(args []string) int { return help(man, cli.Operands(args)) }
		},
		Blind: true,
	}
}

// help prints the help, or the manual page, of the command that the words name.
func help(man bool, words []string) int {
	if len(words) == 1 && words[0] == serveName {
		return serve([]string{map[bool]string{false: "--help", true: "--man"}[man]})
	}
	if man {
		return showManual(words)
	}
	if len(words) == 0 {
		return overview("")
	}
	switch c, n := find(words); {
	case c != nil && n == len(words):
		return c.Help()
	case c != nil:
		return cli.UsageError("help", "unexpected "+text.Quote(words[n]))
	case !slices.Contains(strings.Split(names(""), ", "), words[0]):
		return cli.UsageError("", noCommand(words[:1]))
	case len(words) == 1:
		return overview(words[0] + " ")
	}
	return notInGroup(words[0], words[1:])
}

// examples are those of the program.
const examples = "  mcp-sandbox run -- ./server\n  mcp-sandbox run --allow-read ~/notes -- node server.js\n"

// overview lists the commands, or those of one group.
func overview(group string) int {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: mcp-sandbox %sCOMMAND\n\n", group)
	if group == "" {
		b.WriteString("Runs MCP servers confined: they see no file and no network but what you grant.\n\n")
	}
	for _, c := range commands() {
		if strings.HasPrefix(c.Name, group) {
			fmt.Fprintf(&b, "  %-14s %s\n", c.Name, c.Short)
		}
	}
	fmt.Fprintf(&b, "\n\"mcp-sandbox %sCOMMAND --help\" tells more, with examples.\n", group)
	if group == "" {
		b.WriteString("\nExamples:\n" + examples)
	}
	return cli.Show(b.String())
}
