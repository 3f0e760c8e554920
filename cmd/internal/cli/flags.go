package cli

import (
	"errors"
	"io"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"
)

// Flags are the flags of one command, and what was read besides them.
type Flags struct {
	Lines        []Line   // of the help
	TakesCommand bool     // a server's command follows the flags
	Bare         bool     // no "--" stands in front of it
	Notes        []string // lines for standard error on words that do not mean what they look like
	Stderr       Stderr
	// Refuse says why the command line is refused, and returns the exit code.
	Refuse func(lines ...string) int
	// Reach ends the program where a file system does not answer at which the command is about to look.
	Reach func(words []string)

	set *pflag.FlagSet
}

// A Line of the help is a flag, or a heading where there is no name.
type Line struct{ Name, Value, Text, Only string } // Only is the one system that has the flag, as runtime.GOOS names it

// Here reports whether this system has the flag.
func (l *Line) Here() bool { return l.Only == "" || l.Only == runtime.GOOS }

// NewFlags returns the flags of a command that has none yet.
func NewFlags() *Flags {
	f := &Flags{set: pflag.NewFlagSet("", pflag.ContinueOnError), Refuse: Fail, Reach: reach}
	f.set.Usage = func() {}
	f.set.SetOutput(io.Discard)
	return f
}

// Heading begins a section of the help.
func (f *Flags) Heading(text string) { f.Lines = append(f.Lines, Line{Text: text}) }

// Value defines a flag that needs a value.
func (f *Flags) Value(name, value, text string, take func(string) error) {
	f.add(Line{Name: name, Value: value, Text: text}, "", take)
}

// Switch defines a flag that takes true or false behind "=", and means true without.
func (f *Flags) Switch(name, text string, at *bool) { f.SwitchOf(name, text, Truth(at)) }

// SwitchOf defines the same for take.
func (f *Flags) SwitchOf(name, text string, take func(string) error) {
	f.add(Line{Name: name, Text: text}, "true", take)
}

// JSON defines the flag --json of a command that prints for people, or for programs.
func (f *Flags) JSON() *bool {
	json := new(bool)
	f.Switch("json", "print it as JSON", json)
	return json
}

// Fixed defines a flag that takes no value: take gets always. instead is what to write for one.
func (f *Flags) Fixed(name, text, always, instead string, take func(string) error) {
	const alone = "\x00"
	f.add(Line{Name: name, Text: text}, alone, func(s string) error {
		if s != alone {
			return errors.New("takes no value" + instead)
		}
		return take(always)
	})
}

// On defines a flag, or a heading, that one system has: a switch, which means always, or with "" a flag with a value.
// On every other system the manual page alone tells of it.
func (f *Flags) On(system string, l Line, always string, take func(string) error) {
	l.Only = system
	if l.Here() && l.Name != "" {
		f.add(l, always, take)
		return
	}
	f.Lines = append(f.Lines, l)
}

func (f *Flags) add(l Line, always string, take func(string) error) {
	f.set.Func(l.Name, "", func(s string) error {
		if s == "" {
			return errors.New("needs a value")
		}
		return take(s)
	})
	f.set.Lookup(l.Name).NoOptDefVal = always
	f.Lines = append(f.Lines, l)
}

// Truth sets a switch's value.
func Truth(at *bool) func(string) error {
	return func(s string) (err error) {
		if *at, err = strconv.ParseBool(s); err != nil {
			err = errors.New(strconv.Quote(s) + " is neither true nor false")
		}
		return err
	}
}

// Given reports whether a flag stood in the command line.
func (f *Flags) Given(name string) bool {
	flag := f.set.Lookup(name)
	return flag != nil && flag.Changed
}

// Meta returns the help's word for a flag's value; of a switch that takes one the values.
func (f *Flags) Meta(flag string) string {
	if set := f.set.Lookup(flag); set != nil && set.NoOptDefVal == "true" {
		return "true|false"
	}
	for _, l := range f.Lines {
		if l.Name == flag && l.Here() {
			return l.Value
		}
	}
	return ""
}
