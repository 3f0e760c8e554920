package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func runCommand() command {
	return command{
		name: "run", args: "[flags] -- COMMAND [ARG...]", short: "start a server confined",
		long: `Starts COMMAND confined and stays with it until it ends. Standard input, output
and error are the server's alone. Without flags it sees the base system, the
files of COMMAND itself and private folders, and has no network.

The exit status is the server's own; 128+N if signal N ended it; 125 if the
sandbox refused (the server has not run); 126 if COMMAND cannot be executed; 127
if it was not found.
`,
		tips: `  mcp-sandbox run -- ./server --stdio
  mcp-sandbox run --allow-read ~/notes --env NODE_ENV=production -- node server.js
  mcp-sandbox run --policy policy.json --report report.jsonl -- ./server
`,
		flags: runOptions,
		run:   run,
	}
}

func planCommand() command {
	return command{
		name: "plan", args: "[run's flags] -- COMMAND [ARG...]", short: "print every system call that run would make",
		long: `Prints the program that run would confine COMMAND with: one system call a line,
with its number, its layer and the result it demands. Runs nothing, and so cannot know
what this machine refuses: it is the program that run begins with, of the strongest
confinement. "mcp-sandbox doctor" tries which one is reached.
`,
		tips: `  mcp-sandbox plan -- ./server
  mcp-sandbox plan --allow-read ~/notes -- node server.js | grep seccomp
`,
		flags: launchOptions,
		run:   plan,
	}
}

func launchOptions() *options {
	o := newOptions()
	o.addLaunch()
	o.addStdio()
	o.addPolicy()
	return o
}

// runOptions are a launch's, with where it is to run.
func runOptions() *options {
	o := launchOptions()
	o.addBackend()
	return o
}

func run(o *options, args []string) int {
	command, err := commandOf(args)
	if err == nil {
		err = o.backend.check()
	}
	if bad := o.openReport(); err == nil {
		err = bad
	}
	if err != nil {
		return o.refuse(hinted("mcp-sandbox run", err.Error()))
	}
	ord, why := o.order(command)
	if len(why) > 0 {
		return o.refuse(why...)
	}
	if ord.ReportFD = o.reportFD; o.reportFD >= 0 {
		ord.ReportFile = platform.FileOf(o.reportFD)
	}
	if o.backend.name != "" {
		return o.backend.run(o, ord)
	}
	return o.refuse(reexec.Exec(ord).Error())
}

func plan(o *options, args []string) int {
	command, err := commandOf(args)
	if err != nil {
		return usageError("mcp-sandbox plan", err.Error())
	}
	ord, why := o.order(command)
	if len(why) > 0 {
		return fail(why...)
	}
	if o.report != "" {
		ord.ReportFile, _ = filepath.Abs(o.report)
	}
	lines, err := reexec.Plan(ord)
	if err != nil {
		return fail(err.Error())
	}
	if p, err := policy.ParseCanonical(ord.Policy); err == nil && p.Level != policy.Privileged && p.MinConfinement != policy.Full {
		reexec.Say("confinement full; where this machine refuses it, run goes on with less, at least " + string(p.MinConfinement) +
			": mcp-sandbox doctor tells")
	}
	return show(strings.Join(lines, "\n") + "\n")
}

// commandOf is what follows "--".
func commandOf(args []string) ([]string, error) {
	switch {
	case len(args) > 0 && args[0] != "--":
		return nil, errors.New("unexpected " + word(args[0]) + ": the command comes after --")
	case len(args) < 2:
		return nil, errors.New("no command: it comes after --")
	case args[1] == "":
		return nil, errors.New("the command is empty")
	}
	return args[1:], nil
}

// order makes the order of a launch, or says why there is none.
func (o *options) order(command []string) (*order.Order, []string) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, []string{"working folder: " + err.Error()}
	}
	env := os.Environ()
	file := o.source.Path(dir)
	p, why := o.policy(dir, order.Home(env))
	if len(why) > 0 {
		return nil, why
	}
	ord, err := order.New(p, policy.Run, command, env, dir)
	if err != nil {
		return nil, o.source.Lines(err, o.flagOf)
	}
	ord.PolicyFile, ord.Verbose = file, o.verbose
	ord.Launcher, _ = os.Executable()
	return ord, o.stdio.into(ord)
}

// policy is the document's, with the flags over it. Paths that flags name are still relative.
func (o *options) policy(dir, home string) (policy.Policy, []string) {
	if o.source.File != "" && o.source.FD >= 0 {
		return policy.Policy{}, []string{hinted("mcp-sandbox run", "--policy and --policy-fd: only one of them")}
	}
	if o.source.FD >= 0 && o.source.FD == o.reportFD {
		return policy.Policy{}, []string{hinted("mcp-sandbox run", "--policy-fd and --report-fd are the same descriptor")}
	}
	p, err := o.source.Read(dir, home)
	if err == nil {
		err = o.source.Weaken(p, o.given("level"), o.given("minConfinement"))
	}
	if err != nil {
		return p, o.source.Lines(err, nil)
	}
	values := map[string][]string{} // of a key all at once, for each Set copies a list
	for _, s := range o.settings {
		values[s.key] = append(values[s.key], s.value)
	}
	for _, s := range o.settings {
		if err := p.Set(s.key, values[s.key]...); err != nil {
			return p, []string{s.flag + ": " + err.Error()}
		}
		delete(values, s.key)
	}
	return p, nil
}

// given is what the flag of a key said last, or "".
func (o *options) given(key string) (value string) {
	for _, s := range o.settings {
		if s.key == key {
			value = s.value
		}
	}
	return value
}

// flagOf names the flag that gave a key its value.
func (o *options) flagOf(key string) string {
	for _, s := range o.settings {
		if s.key == key {
			return s.flag
		}
	}
	return ""
}
