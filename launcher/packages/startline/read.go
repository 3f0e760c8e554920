package startline

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A line is the part of one that was read so far.
type line struct {
	*tool
	specs   []Spec   // named by flags
	beside  []Spec   // installed for the program besides
	options []string // for Start.Options
	words   []string // those that are no flags of the tool
}

// readPackage reads a line of flags, package and arguments.
func readPackage(t *tool, words []string) (*Start, string) {
	l := &line{tool: t}
	for len(words) > 0 {
		word := words[0]
		switch {
		case isEnd(word, t.mixed):
			l.words = append(l.words, words[1:]...)
			return l.start()
		case len(word) > 1 && word[0] == '-':
			n, reason := l.flag(words)
			if reason != "" {
				return nil, reason
			}
			words = words[n:]
		case t.mixed:
			l.words, words = append(l.words, word), words[1:]
		default:
			l.words = words
			return l.start()
		}
	}
	return l.start()
}

// isEnd reports whether a word ends the flags. For npm's own parser three dashes do, too.
func isEnd(word string, mixed bool) bool {
	return word == "--" || mixed && len(word) > 2 && strings.Trim(word, "-") == ""
}

// flag reads the flag in front and says of how many words flag and value are.
func (l *line) flag(words []string) (n int, reason string) {
	flag, value, given := strings.Cut(words[0], "=")
	ignored, kept := has(l.ignored, flag), has(l.kept, flag)
	switch {
	case (ignored || kept) && given && (words[0] != "--yes=true" || !has("npx npm", strings.Fields(l.name)[0])):
		return 0, l.notUnderstood(words[0]) // npx makes "--loglevel warn true" of --quiet=true
	case (ignored || kept) && l.mixed && len(words) > 1 && (words[1] == "true" || words[1] == "false"):
		return 0, "npm exec takes " + words[1] + " for the value of " + flag
	case kept:
		l.options = append(l.options, flag)
		return 1, ""
	case ignored:
		return 1, ""
	case !has(l.valued, flag) && !has(l.packages, flag) && !has(l.with, flag):
		return 0, l.notUnderstood(words[0])
	}
	n = 1
	if !given {
		if n = 2; len(words) < n || isEnd(words[1], true) {
			return 0, "the flag " + flag + " has no value"
		}
		value = words[1]
	}
	if has(l.valued, flag) {
		return n, ""
	}
	spec, reason := l.form(value)
	if has(l.packages, flag) {
		l.specs = append(l.specs, spec)
	} else {
		l.beside = append(l.beside, spec)
	}
	return n, reason
}

// start returns the Start of the whole line.
func (l *line) start() (*Start, string) {
	s := &Start{Specs: l.specs, Options: l.options}
	switch {
	case len(l.words) == 0 && len(l.specs) == 0:
		return nil, "no package is named"
	case len(l.words) == 0:
		return nil, "no program of the package is named"
	case len(l.specs) == 0:
		spec, reason := l.form(l.words[0])
		if reason != "" {
			return nil, reason
		}
		s.Specs = []Spec{spec}
	default:
		if s.Bin = l.words[0]; !IsBin(s.Bin) {
			return nil, text.Word(s.Bin) + " is no program of a package"
		}
	}
	s.Specs, s.Args = append(s.Specs, l.beside...), slices.Clone(l.words[1:])
	for i, spec := range s.Specs {
		if slices.ContainsFunc(s.Specs[:i], func(other Spec) bool { return other.Name == spec.Name }) {
			return nil, spec.Name + " is named twice"
		}
	}
	return s, ""
}
