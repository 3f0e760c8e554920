package main

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
)

// flags is the command line. Package flag links fmt and reflect, pflag more than that: 0.09 ms of every start for five
// flags.
type flags struct {
	given         map[string]string // each flag at most once
	source        source.Source
	reportFD      int // -1 for none
	command       []string
	help, version bool
}

// A usageError is a command line that says nothing clear. It is one line, with what to do.
type usageError struct{ line string }

func (e *usageError) Error() string { return e.line + `; see "mcp-sandbox-init --help"` }

func names() [5]string {
	return [...]string{"--policy-fd", "--policy", "--report-fd", "--level", "--min-confinement"}
}

// parse reads the arguments up to "--". With an error it still returns what it understood: the report's descriptor, above
// all.
func parse(args []string) (*flags, error) {
	f := &flags{given: make(map[string]string), source: source.None(), reportFD: -1}
	var first error
	fail := func(line string) {
		if first == nil {
			first = &usageError{line}
		}
	}
	ended := false
	for len(args) > 0 && !ended {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		switch {
		case name == "--" && !joined:
			ended = true
		case name == "--help" && !joined, name == "-h" && !joined:
			f.help = true
		case name == "--version" && !joined:
			f.version = true
		case !known(name):
			fail(unknown(name))
		default:
			if !joined && (len(args) == 0 || args[0] == "--") {
				fail(name + " needs a value")
				continue
			}
			if !joined {
				value, args = args[0], args[1:]
			}
			if err := f.set(name, value); err != nil {
				fail(err.Error())
			}
		}
	}
	f.command = args
	switch {
	case f.source.File != "" && f.source.FD >= 0:
		fail("--policy and --policy-fd: only one of them")
	case f.source.FD >= 0 && f.source.FD == f.reportFD:
		fail("--policy-fd and --report-fd are the same descriptor")
	case len(args) == 0:
		fail("no command: it comes after --")
	case args[0] == "":
		fail("the command is empty")
	}
	return f, first
}

func known(name string) bool {
	for _, n := range names() {
		if n == name {
			return true
		}
	}
	return false
}

func unknown(name string) string {
	if name == "" || name[0] != '-' {
		return "unexpected " + strconv.Quote(name) + ": the command comes after --"
	}
	return "unknown flag " + strconv.Quote(name)
}

func (f *flags) set(name, value string) (err error) {
	if _, twice := f.given[name]; twice {
		return &valueError{name, "is there twice"}
	}
	f.given[name] = value
	switch name {
	case "--policy-fd":
		f.source.FD, err = source.Descriptor(value)
	case "--report-fd":
		f.reportFD, err = source.Descriptor(value)
	case "--policy":
		f.source.File = value
	}
	switch {
	case err != nil:
		return &valueError{name + ":", err.Error()}
	case value == "":
		return &valueError{name, "needs a value"}
	}
	return nil
}

type valueError struct{ flag, what string }

func (e *valueError) Error() string { return e.flag + " " + e.what }
