package cli

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/policy/nearest"
	"github.com/security-mcp/mcp-sandbox/policy/text"
	"github.com/spf13/pflag"
)

// ErrHelp is the error of a command line that asks for help.
var ErrHelp = errors.New("help is asked for")

// Parse reads the flags and returns what else there is. Of a command that starts a server that is the server's command;
// of others the words in front of "--", then "--" and what follows it.
func (f *Flags) Parse(args []string) (rest []string, err error) {
	flags, tail, missing := f.Split(args)
	if slices.ContainsFunc(flags, func(s string) bool { return s == "--help" || s == "-h" }) {
		return nil, ErrHelp
	}
	// pflag takes these for go test's own and passes over them.
	if i := slices.IndexFunc(flags, func(s string) bool { return strings.HasPrefix(s, "-test.") }); i >= 0 {
		return nil, errors.New("unknown flag " + text.Quote(flags[i]))
	}
	if err := f.set.Parse(flags); err != nil {
		return nil, f.userError(err)
	}
	if missing != "" {
		return nil, errors.New(missing + " needs a value" + form(f.Lines, missing))
	}
	return append(f.set.Args(), tail...), nil
}

// Split divides a command line: at "--", or where a server's command follows at the first word that is neither a flag
// nor its value. A flag whose value is missing ends the flags.
func (f *Flags) Split(args []string) (flags, rest []string, missing string) {
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "--":
			return args[:i], args[i:], ""
		case f.TakesCommand && (word == "-" || !strings.HasPrefix(word, "-")):
			if i > 0 {
				f.Notes = append(f.Notes, switchNote(f.set, args[i-1], word)...)
			}
			f.Bare = true
			return args[:i], append([]string{"--"}, args[i:]...), ""
		case takesValue(f.set, word):
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
	flag := set.Lookup(name)
	return ok && flag != nil && flag.NoOptDefVal == ""
}

// form is how the value of a flag looks, behind a colon.
func form(lines []Line, flag string) string {
	for _, l := range lines {
		if l.Name == strings.TrimPrefix(flag, "--") && l.Value != "" {
			return ": " + l.Value
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
func (f *Flags) userError(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &invalid):
		return errors.New("--" + invalid.GetFlag().Name + ": " + notice.InFlags(invalid.Unwrap().Error()))
	case errors.As(err, &missing):
		name := missing.GetSpecifiedName()
		return errors.New("--" + name + " needs a value" + form(f.Lines, name))
	case errors.As(err, &syntax):
		return errors.New("unknown flag " + text.Quote(syntax.GetSpecifiedFlag()))
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return unknownFlag(f, "-"+short)
		}
		return unknownFlag(f, "--"+unknown.GetSpecifiedName())
	}
	return err
}

// unknownFlag is the error of a flag that does not exist, with the flag that was probably meant.
func unknownFlag(f *Flags, word string) error {
	name := strings.TrimLeft(word, "-")
	var names []string
	for _, l := range f.Lines {
		if l.Name != "" && l.Here() {
			names = append(names, l.Name)
		}
	}
	if flag, _, several := strings.Cut(name, " "); several && slices.Contains(names, flag) {
		return errors.New(text.Quote("--"+flag) + " and its value are one word: write each as an element of " +
			`its own, as in "--` + flag + `", "` + cmp.Or(strings.TrimPrefix(form(f.Lines, flag), ": "), "…") + `"`)
	}
	text := "unknown flag " + text.Quote(word)
	if known := answer(f.set, word); known != "" {
		return errors.New(text + ": " + known)
	}
	if meant := nearest.Of(name, names); meant != "" {
		return errors.New(text + " (did you mean --" + meant + "?)")
	}
	if word[1] != '-' { // such as -eNAME=VALUE
		if known := answer(f.set, word[:2]); known != "" {
			return errors.New(text + ": " + known)
		}
	}
	if f.TakesCommand {
		text += ": a flag of the server's comes behind its COMMAND"
	}
	return errors.New(text)
}
