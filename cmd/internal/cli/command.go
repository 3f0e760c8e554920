package cli

import (
	"errors"
	"fmt"
	"strings"
)

// A Command is one word or two after the program's name.
type Command struct {
	Name  string // "run", "policy show"
	Args  string // the words after the name, for its usage
	Short string // one line
	Long  string // the text of --help above the flags; the examples come below
	Tips  string // examples
	Blind bool   // looks at no file
	Setup func(*Flags) Run
}

// A Run is a command whose flags were read. It gets the other words, and returns the exit code.
type Run func(args []string) int

// WithJSON is the setup of a command with no other flag than --json.
func WithJSON(run func(f *Flags, json bool, args []string) int) func(*Flags) Run {
	return func(f *Flags) Run {
		json := f.JSON()
		return func(args []string) int { return run(f, *json, args) }
	}
}

// Flags returns the flags of the command, unread.
func (c *Command) Flags() *Flags {
	f := NewFlags()
	c.Setup(f)
	return f
}

// Start reads the command's flags and runs it.
func (c *Command) Start(args []string) int {
	f := NewFlags()
	run := c.Setup(f)
	rest, err := f.Parse(args)
	switch {
	case errors.Is(err, ErrHelp):
		return c.Help()
	case err != nil:
		return f.Refuse(Hinted(c.Name, err.Error()))
	}
	if !c.Blind {
		f.Reach(args)
	}
	return run(rest)
}

// flagWidth is how wide the help's column of flags is; a wider one has its text on the next line.
const flagWidth = 24

// Help prints the command's usage, a line for each flag, and examples.
func (c *Command) Help() int {
	var b strings.Builder
	lines := c.Flags().Lines
	fmt.Fprintf(&b, "Usage: mcp-sandbox %s %s\n\n%s", c.Name, c.Args, c.Long)
	if len(lines) > 0 && lines[0].Name != "" { // a heading has an empty line in front
		b.WriteString("\n")
	}
	for _, l := range lines {
		if !l.Here() {
			continue
		}
		if l.Name == "" {
			fmt.Fprintf(&b, "\n%s:\n", l.Text)
			continue
		}
		flag := strings.TrimRight("--"+l.Name+" "+l.Value, " ")
		if len(flag) > flagWidth {
			flag += "\n" + strings.Repeat(" ", 2+flagWidth)
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", flagWidth, flag, l.Text)
	}
	fmt.Fprintf(&b, "\nExamples:\n%s", c.Tips)
	return Show(b.String())
}
