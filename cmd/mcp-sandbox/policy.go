package main

import (
	"errors"
	"os"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/judge"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/schema"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func showOptions() *options {
	o := newOptions()
	o.add("for", "init|run", "as mcp-sandbox-init or as mcp-sandbox run would have it (default run)", "", o.setProgram)
	o.add("json", "", "print it as JSON, as without this flag", "true", truth(&o.json))
	o.addPolicy()
	addProfile(o)
	return o
}

func (o *options) setProgram(s string) error {
	switch s {
	case "init":
		o.program = policy.Init
	case "run":
		o.program = policy.Run
	default:
		return errors.New(strconv.Quote(s) + " is neither init nor run")
	}
	return nil
}

// judged reads the policy of a file, checks all of it, and says what it opens.
func judged(src launchflags.Source) (explain.Explanation, error) {
	dir, err := launchflags.Folder()
	if err != nil {
		return explain.Explanation{}, err
	}
	p, err := src.Read(dir, order.Home(os.Environ()))
	if err == nil {
		err = reexec.KnownCalls(&p)
	}
	if err != nil {
		return explain.Explanation{}, err
	}
	f := &p.Filesystem
	reexec.Reach(nil, slices.Concat(f.AllowRead, f.AllowWrite, f.DenyRead, f.DenyWrite), "", func() int { return -1 })
	return judge.Of(p, src.Path(dir)), nil
}

func showPolicy(o *options, args []string) int {
	var command []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, command = args[:i], args[i+1:]
	}
	file, err := fileOf(args, false)
	if err != nil {
		return usageError("mcp-sandbox policy show", err.Error())
	}
	if o.Source.File = file; len(command) > 0 || o.asked != "" {
		if err := readStart(o, append([]string{}, command...)); err != nil {
			return fail(err.Error())
		}
	}
	dir, err := launchflags.Folder()
	if err != nil {
		return fail(err.Error())
	}
	home := order.Home(os.Environ())
	p, why := o.Policy(dir, home)
	if len(why) > 0 {
		return fail(why...)
	}
	if p, err = p.Absolute(dir, home); err == nil {
		err = p.Validate()
	}
	if err != nil {
		return fail(o.Source.Lines(err, o.FlagOf)...)
	}
	return show(string(p.Effective(o.program).AppendJSON(nil)))
}

func showSchema(_ *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox policy schema", "unexpected "+text.Quote(args[0]))
	}
	return show(string(schema.JSON()))
}

// fileOf is the one file that a command takes.
func fileOf(args []string, needed bool) (string, error) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	switch {
	case len(args) > 1:
		return "", errors.New("unexpected " + text.Quote(args[1]))
	case len(args) == 1 && args[0] != "":
		return args[0], nil
	case len(args) == 1:
		return "", errors.New("the file's name is empty")
	case needed:
		return "", errors.New("no file: name one behind the command")
	}
	return "", nil
}
