package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
)

// flags is the command line. The two programs share its table and its meaning, in package launchflags, but not the
// reader: pflag would cost every start 0.1 ms (docs/performance.md), for five flags.
type flags struct {
	launchflags.Launch
	command       []string
	help, version bool
}

// A usageError is an unclear command line, as one line of text with the remedy.
type usageError struct{ line string }

func (e *usageError) Error() string { return e.line + `; see "mcp-sandbox-init --help"` }

// table is every flag that takes a value.
func (f *flags) table() []launchflags.Flag {
	list := f.Flags()
	return append(list[:], f.setting("level", "level"), f.setting("min-confinement", "minConfinement"))
}

func (f *flags) setting(name, key string) launchflags.Flag {
	value := ""
	once := launchflags.Once(&value)
	return launchflags.Flag{Name: name, Set: func(s string) error {
		f.Settings = append(f.Settings, launchflags.Setting{Flag: "--" + name, Key: key, Value: s})
		return once(s)
	}}
}

// parse reads the arguments up to "--". With an error it still returns what it understood: the report's
// descriptor, above all.
func parse(args []string) (*flags, error) {
	f := &flags{Launch: launchflags.NewLaunch()}
	var first error
	fail := func(line string) {
		if first == nil {
			first = &usageError{line}
		}
	}
	table := f.table()
	for len(args) > 0 && args[0] != "--" {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		i := slices.IndexFunc(table, func(t launchflags.Flag) bool { return name == "--"+t.Name })
		switch {
		case !joined && (name == "--help" || name == "-h"):
			f.help = true
			continue
		case !joined && name == "--version":
			f.version = true
			continue
		case i < 0:
			fail(unknown(name))
			continue
		case !joined && (len(args) == 0 || args[0] == "--"):
			fail(name + " needs a value")
			continue
		case !joined:
			value, args = args[0], args[1:]
		}
		switch err := table[i].Set(value); {
		case errors.Is(err, launchflags.ErrTwice):
			fail(name + " " + err.Error())
		case err != nil:
			fail(name + ": " + err.Error())
		case value == "":
			fail(name + " needs a value")
		}
	}
	if err := f.Check(); err != nil {
		fail(err.Error())
	}
	var err error
	if f.command, err = launchflags.Command(args); err != nil {
		fail(err.Error())
	}
	return f, first
}

func unknown(name string) string {
	if name == "" || name[0] != '-' {
		text := "unexpected " + strconv.Quote(name) + ": the command comes after --"
		if slices.Contains([]string{"run", "plan", "doctor", "policy", "report", "state", "version", "help"}, name) {
			text += ", and " + name + " is a command of mcp-sandbox"
		}
		return text
	}
	text := "unknown flag " + strconv.Quote(name)
	if name == "--report" {
		return text + ": here it is --report-fd N, and mcp-sandbox run has --report FILE"
	}
	return text + ": mcp-sandbox run has more flags; here a policy says what a server may do (--policy FILE, " +
		"--policy-fd N)"
}
