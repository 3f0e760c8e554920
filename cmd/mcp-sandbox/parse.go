package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
	"github.com/spf13/pflag"
)

// parse reads the flags and returns what else there is: the words in front of "--", then "--" and what follows it.
func (o *options) parse(args []string) (rest []string, err error) {
	flags, tail := args, []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		flags, tail = args[:i], args[i:]
	}
	if slices.ContainsFunc(flags, func(s string) bool { return s == "--help" || s == "-h" }) {
		o.help = true
		return nil, nil
	}
	// pflag takes these for go test's own and passes over them.
	if i := slices.IndexFunc(flags, func(s string) bool { return strings.HasPrefix(s, "-test.") }); i >= 0 {
		return nil, errors.New("unknown flag " + source.Quote(flags[i]))
	}
	if err := o.set.Parse(flags); err != nil {
		return nil, userError(err)
	}
	return append(o.set.Args(), tail...), nil
}

// userError says in this program's words what pflag found.
func userError(err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &invalid):
		return errors.New("--" + invalid.GetFlag().Name + ": " + invalid.Unwrap().Error())
	case errors.As(err, &missing):
		return errors.New("--" + missing.GetSpecifiedName() + " needs a value")
	case errors.As(err, &syntax):
		return errors.New("unknown flag " + source.Quote(syntax.GetSpecifiedFlag()))
	case errors.As(err, &unknown):
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			return errors.New("unknown flag " + source.Quote("-"+short))
		}
		name := unknown.GetSpecifiedName()
		for _, f := range policyFlags() {
			if f.name == name && !f.enforced() {
				return errors.New("--" + name + ": this version does not enforce " + f.key + " yet")
			}
		}
		return errors.New("unknown flag " + source.Quote("--"+name))
	}
	return err
}
