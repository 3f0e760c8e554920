package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/nearest"
	"github.com/security-mcp/mcp-sandbox/policy/text"
	"github.com/spf13/pflag"
)

// parse reads the flags and returns what else there is. Of a command that starts a server that is the server's command;
// of others the words in front of "--", then "--" and what follows it.
func (o *options) parse(args []string) (rest []string, err error) {
	flags, tail, missing := o.split(args)
	if slices.ContainsFunc(flags, func(s string) bool { return s == "--help" || s == "-h" }) {
		o.help = true
		return nil, nil
	}
	// pflag takes these for go test's own and passes over them.
	if i := slices.IndexFunc(flags, func(s string) bool { return strings.HasPrefix(s, "-test.") }); i >= 0 {
		return nil, errors.New("unknown flag " + text.Quote(flags[i]))
	}
	if err := o.set.Parse(flags); err != nil {
		return nil, o.userError(err)
	}
	if missing != "" {
		return nil, errors.New(missing + " needs a value" + form(o.lines, missing))
	}
	o.Settings = slices.Concat(o.variables, o.Settings) // a variable's own flag is stronger than a file of variables
	return append(o.set.Args(), tail...), nil
}

// split divides a command line: at "--", or where a server's command follows at the first word that is neither a flag
// nor its value. A flag whose value is missing ends the flags.
func (o *options) split(args []string) (flags, rest []string, missing string) {
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "--":
			return args[:i], args[i:], ""
		case o.takesCommand && (word == "-" || !strings.HasPrefix(word, "-")):
			if i > 0 {
				o.notes = append(o.notes, switchNote(o.set, args[i-1], word)...)
			}
			o.bare = true
			return args[:i], append([]string{"--"}, args[i:]...), ""
		case takesValue(o.set, word):
			if i++; i == len(args) || strings.HasPrefix(args[i], "--") {
				return args[:i-1], nil, word
			}
		}
	}
	return args, nil, ""
}

// takesValue reports whether the next word is this flag's value.
func takesValue(set *pflag.FlagSet, word string) bool {
	name, ok := strings.CutPrefix(word, "--")
	f := set.Lookup(name)
	return ok && f != nil && f.NoOptDefVal == ""
}

// form is how the value of a flag looks, behind a colon.
func form(lines []line, flag string) string {
	for _, l := range lines {
		if l.name == strings.TrimPrefix(flag, "--") && l.value != "" {
			return ": " + l.value
		}
	}
	return ""
}

// switchNote is the line on a word that reads as the value of the switch in front, and is the command.
func switchNote(set *pflag.FlagSet, flag, word string) []string {
	f := set.Lookup(strings.TrimPrefix(flag, "--"))
	if (word == "true" || word == "false") && strings.HasPrefix(flag, "--") && f != nil && f.NoOptDefVal != "" {
		return []string{`"` + word + `" is the command: the value of a switch comes behind "=", as in ` +
			flag + "=" + word}
	}
	return nil
}

// userError says in this program's words what pflag found.
func (o *options) userError(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &invalid):
		return errors.New("--" + invalid.GetFlag().Name + ": " + inFlags(invalid.Unwrap().Error()))
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return errors.New("--" + name + " needs a value" + form(o.lines, name))
	case errors.As(err, &syntax):
		return errors.New("unknown flag " + text.Quote(syntax.GetSpecifiedFlag()))
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return unknownFlag(o, "-"+short)
		}
		return unknownFlag(o, "--"+unknown.GetSpecifiedName())
	}
	return err
}

// unknownFlag is the error of a flag that does not exist, with the flag that was probably meant.
func unknownFlag(o *options, word string) error {
	name := strings.TrimLeft(word, "-")
	var names []string
	for _, l := range o.lines {
		if l.name != "" && l.here() {
			names = append(names, l.name)
		}
	}
	if flag, _, several := strings.Cut(name, " "); several && slices.Contains(names, flag) {
		return errors.New(text.Quote("--"+flag) + " and its value are one word: write each as an element of " +
			`its own, as in "--` + flag + `", "` + cmp.Or(strings.TrimPrefix(form(o.lines, flag), ": "), "…") + `"`)
	}
	text := "unknown flag " + text.Quote(word)
	if known := answer(o.set, word); known != "" {
		return errors.New(text + ": " + known)
	}
	if meant := nearest.Of(name, names); meant != "" {
		return errors.New(text + " (did you mean --" + meant + "?)")
	}
	if word[1] != '-' { // such as -eNAME=VALUE
		if known := answer(o.set, word[:2]); known != "" {
			return errors.New(text + ": " + known)
		}
	}
	if o.takesCommand {
		text += ": a flag of the server's comes behind its COMMAND"
	}
	return errors.New(text)
}

// inFlags says a text about the policy in the words of the command line: of a key in a section the flag.
func inFlags(text string) string {
	for _, f := range policyFlags() {
		if (strings.Contains(f.key, ".") || f.key == "minConfinement") && f.always == "" {
			text = strings.ReplaceAll(text, f.key, "--"+f.name)
		}
	}
	return text
}
