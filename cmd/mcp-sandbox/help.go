package main

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// helpCommand has the words of the other commands as its arguments.
func helpCommand() command {
	return command{
		name: "help", args: "[--man] [COMMAND]", short: "say what a command does",
		long: `Prints what mcp-sandbox COMMAND --help prints. Without COMMAND it lists the commands.
`,
		tips: "  mcp-sandbox help run\n  mcp-sandbox help policy show\n  mcp-sandbox help --man run | man -l -\n",
		flags: func() *options {
			o := newOptions()
			o.add("man", "", "print the manual page instead, in the language of man(7)", "true", truth(&o.man))
			return o
		},
		run: helpWith, blind: true,
	}
}

// helpWith prints the help, or the manual page, of the command that the words name.
func helpWith(o *options, words []string) int {
	words = namesOf(words)
	if o.man {
		return showManual(words)
	}
	if len(words) == 0 {
		return overview("")
	}
	switch c, n := find(words); {
	case c != nil && n == len(words):
		return help(c, c.flags())
	case c != nil:
		return usageError("mcp-sandbox help", "unexpected "+text.Quote(words[n]))
	case !slices.Contains(strings.Split(names(""), ", "), words[0]):
		return usageError("mcp-sandbox", noCommand(words[:1]))
	case len(words) == 1:
		return overview(words[0] + " ")
	}
	return notInGroup(words[0], words[1:])
}
