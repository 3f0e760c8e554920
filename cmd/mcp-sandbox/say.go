package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// hinted is one clear line with where to read more.
func hinted(program, what string) string { return what + `; see "` + program + ` --help"` }

// typedWord is a word of the command line as a person types the word again. The value behind "=" may be a secret.
func typedWord(word string) string {
	if strings.Contains(word, "=") {
		return text.Quote(word)
	}
	return text.Shell(word)
}

// usageError says in one line what is wrong with the command line.
func usageError(program, what string) int { return fail(hinted(program, what)) }

// fail says why nothing was done, and returns the exit code.
func fail(lines ...string) int { return reexec.Refuse(-1, lines) }

// show prints what was asked for. No server runs, so standard output is free.
func show(text string) int {
	if _, err := os.Stdout.WriteString(text); err != nil {
		return fail("standard output: " + err.Error())
	}
	return 0
}

// jsonOptions are those of a command that prints for people, or for programs.
func jsonOptions() *options {
	o := newOptions()
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	return o
}

// asJSON is a result as programs read it.
func asJSON(result any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	e.Encode(result) // data of our own types: nothing can fail
	return text.Lines(b.String())
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
		if strings.HasPrefix(c.name, group) {
			fmt.Fprintf(&b, "  %-14s %s\n", c.name, c.short)
		}
	}
	fmt.Fprintf(&b, "\n\"mcp-sandbox %sCOMMAND --help\" tells more, with examples.\n", group)
	if group == "" {
		b.WriteString("\nExamples:\n" + examples)
	}
	return show(b.String())
}

// flagWidth is how wide the help's column of flags is; a wider one has its text on the next line.
const flagWidth = 24

// help prints one command's usage, a line for each flag, and examples.
func help(c *command, o *options) int {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: mcp-sandbox %s %s\n\n%s", c.name, c.args, c.long)
	if len(o.lines) > 0 && o.lines[0].name != "" { // a heading has an empty line in front
		b.WriteString("\n")
	}
	for _, l := range o.lines {
		if !l.here() {
			continue
		}
		if l.name == "" {
			fmt.Fprintf(&b, "\n%s:\n", l.text)
			continue
		}
		flag := strings.TrimRight("--"+l.name+" "+l.value, " ")
		if len(flag) > flagWidth {
			flag += "\n" + strings.Repeat(" ", 2+flagWidth)
		}
		fmt.Fprintf(&b, "  %-*s  %s\n", flagWidth, flag, l.text)
	}
	fmt.Fprintf(&b, "\nExamples:\n%s", c.tips)
	return show(b.String())
}
