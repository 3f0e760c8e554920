package profile

import (
	"slices"
	"strings"
)

// words are the arguments of a command line, as far as the profile knows its flags.
type words struct {
	positions []string
	flags     map[string][]string
}

// split divides arguments into the values of flags that the profile names, and those that are no flags. A word behind a
// flag that the profile does not name counts as an argument: whether the flag takes a value is not known.
func (p *Profile) split(args []string) words {
	w := words{flags: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			w.positions = append(w.positions, args[i+1:]...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			w.positions = append(w.positions, word)
			continue
		}
		flag, value, joined := strings.Cut(word, "=")
		known := slices.Contains(p.Flags, flag) || slices.Contains(p.Unless, flag) ||
			slices.ContainsFunc(p.Arguments, func(a Argument) bool {
				return a.Flag == flag || slices.Contains(a.Unless, flag)
			})
		if known && !joined && i+1 < len(args) {
			i++
			value, joined = args[i], true
		}
		if known && joined {
			w.flags[flag] = append(w.flags[flag], value)
		}
	}
	return w
}

// How a message names the source of a position, and begins with that of a variable.
const (
	anArgument = "argument"
	aVariable  = "variable "
)

// of are the values of a source of the command line, and how a message names that source.
func (w *words) of(a *Argument) (values []string, source string) {
	switch values := w.flags[a.Flag]; {
	case len(values) > 0:
		return values, "argument " + a.Flag
	case a.Position < 0 || a.Position >= len(w.positions):
		return nil, ""
	case a.Rest:
		return w.positions[a.Position:], anArgument
	}
	return w.positions[a.Position : a.Position+1], anArgument
}
