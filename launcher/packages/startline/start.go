// Package startline reads the line that starts a package: which package manager is asked, for which packages, and the
// arguments of their program.
//
//	start, err := startline.Parse([]string{"npx", "-y", "@x/server@^1", "--port", "1"})
//	// start.Specs is npm:@x/server@^1, start.Args is --port 1
//
// The words alone are read: no file is looked at, nothing is asked of a registry. A line that is not understood to its
// last word is [Unknown], so that it can be started as it is: half understood, another program would be started, or
// the program with other arguments.
package startline

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Start is a line that was understood.
type Start struct {
	Manager string   // installs the packages: npm, pypi or go. The folder in the store, too
	Tool    string   // as a person calls the form: "npx", "npm exec", "pnpm dlx", "uvx"
	Program string   // the first word of the line, as it was typed
	Specs   []Spec   // at least one
	Bin     string   // a program of whichever package has it; "" for the first package's own, as ChooseBin says
	Args    []string // of the program, word for word
	Options []string // flags of deno and bun that hold for the program: --allow-net, --bun
}

// Unknown is a line that starts packages and cannot be read. It can be started as it is.
type Unknown struct {
	Program string // the first word of the line, as it was typed
	Reason  string // for a person, a clause without a capital letter
}

// Error is the program and the reason.
func (u *Unknown) Error() string {
	if strings.ContainsFunc(u.Program, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text.Word(u.Program) + ": " + u.Reason
	}
	return u.Program + ": " + u.Reason
}

// Parse reads a line. Nil and no error is a program that starts no packages. The error is always an [*Unknown].
func Parse(command []string) (*Start, error) {
	words := withoutInterpreter(command)
	if len(words) == 0 {
		return nil, nil
	}
	all := tools()
	for i := range all {
		t := &all[i]
		if !slices.Contains(strings.Fields(t.programs), base(words[0])) {
			continue
		}
		rest, found, reason := t.afterVerb(words[1:])
		if !found {
			continue
		}
		if reason == "" && len(words) < len(command) && strings.HasPrefix(command[1], "-") && command[1] != "-m" {
			reason = "options of " + base(command[0]) + " stand before it"
		}
		var start *Start
		if reason == "" {
			start, reason = t.read(t, rest)
		}
		if reason != "" {
			return nil, &Unknown{Program: command[0], Reason: reason}
		}
		if start != nil {
			start.Manager, start.Tool, start.Program = t.manager, t.name, command[0]
		}
		return start, nil
	}
	return nil, nil
}

// withoutInterpreter is the line from the starter on: npx-cli.js of "node …/npx-cli.js", pipx of "python3 -m pipx".
func withoutInterpreter(command []string) []string {
	if len(command) < 2 {
		return command
	}
	switch base(command[0]) {
	case "node", "nodejs":
		rest := command[1:]
		for len(rest) > 1 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		if slices.Contains(strings.Fields(scripts), base(rest[0])) {
			return rest
		}
	case "python", "pypy":
		if command[1] == "-m" && len(command) > 2 && (command[2] == "pipx" || command[2] == "uv") {
			return command[2:]
		}
	}
	return command
}

// base is a program's name without folder, without a suffix of Windows, and without a version: npx of /opt/bin/npx-20.
func base(word string) string {
	name := filepath.Base(word)
	for _, end := range []string{".exe", ".cmd", ".ps1"} {
		name = strings.TrimSuffix(name, end)
	}
	version := strings.LastIndexFunc(name, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }) + 1
	if version > 0 && version < len(name) && name[version] != '.' {
		name = name[:version]
		for _, mark := range []string{"-v", "@v", "-", "@"} {
			name = strings.TrimSuffix(name, mark)
		}
	}
	return name
}
