// Package gitconfig reads git's configuration, git-config(1), and knows which variables name files that are
// followed. The package reads texts alone, not the file system.
package gitconfig

import (
	"bytes"
	"strings"
)

// Parse reads a configuration of git, git-config(1). F gets the section, without the part of it that is in quotes, and
// the name of each variable in lower case, until it returns false. Parse skips errors that git refuses.
func Parse(text string, f func(section, name, value string) bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	for section := ""; text != ""; {
		switch text[0] {
		case ' ', '\t', '\r', '\n':
			text = text[1:]
		case '#', ';':
			_, text, _ = strings.Cut(text, "\n")
		case '[':
			section, text = parseSection(text[1:])
		default:
			end := strings.IndexAny(text, "=\n")
			if end < 0 {
				end = len(text)
			}
			name, value := strings.ToLower(strings.TrimSpace(text[:end])), ""
			if text = text[end:]; text != "" && text[0] == '=' {
				value, text = parseValue(text[1:])
			}
			if !f(section, name, value) {
				return
			}
		}
	}
}

// parseSection reads [name], [name "part"] or [name.part] from behind the bracket.
func parseSection(text string) (name, rest string) {
	quoted := false
	for i := 0; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ']' && !quoted:
			name = strings.ToLower(text[:i])
			if end := strings.IndexAny(name, " \t.\""); end >= 0 {
				if name = name[:end]; name == "include" {
					name = "" // has no parts: nothing is included
				}
			}
			return name, text[i+1:]
		}
	}
	_, rest, _ = strings.Cut(text, "\n")
	return "", rest
}

// parseValue reads a value from behind the '=', with quotes, escapes, continued lines and a comment behind it.
func parseValue(text string) (value, rest string) {
	var b []byte
	quoted, kept := false, 0 // how much is no white space at the end
	for i := 0; i < len(text); i++ {
		c := text[i]
		space := c == ' ' || c == '\t' || c == '\r'
		switch {
		case c == '\n':
			return string(b[:kept]), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			if c = text[i]; c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
				i++
			} else if c != '\n' {
				if at := strings.IndexByte("tn", c); at >= 0 {
					c = "\t\n"[at]
				}
				b = append(b, c)
				kept = len(b)
			}
		case c == '"':
			quoted, kept = !quoted, len(b)
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return string(b[:kept]), rest
		case !quoted && space && len(b) == 0:
		default:
			if b = append(b, c); quoted || !space {
				kept = len(b)
			}
		}
	}
	return string(b[:kept]), ""
}

// A Kind is the kind of file that a variable's value names.
type Kind uint8

const (
	Nothing Kind = iota
	Config       // a file to include
	Hooks        // a folder of hooks
	Tree         // the work tree, which relative paths start from
)

// Names is the kind of file that a variable names and that is followed. The other values that git executes, such as
// core.fsmonitor, a filter or an alias, are commands: which of their words are files, only git and a shell know.
func Names(section, name string) Kind {
	switch section + "." + name {
	case "include.path", "includeif.path":
		return Config
	case "core.hookspath":
		return Hooks
	case "core.worktree":
		return Tree
	}
	return Nothing
}

// GitFile is the path in a worktree's or a submodule's .git file, "gitdir: PATH"; gitrepository-layout(5).
func GitFile(b []byte) (path string, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte("gitdir: "))
	if !ok {
		return "", false
	}
	return Line(rest)
}

// Line is a path alone in a file, without its newline.
func Line(b []byte) (path string, ok bool) {
	b = bytes.TrimRight(b, "\r\n")
	return string(b), len(b) > 0 && bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, 0) < 0
}
