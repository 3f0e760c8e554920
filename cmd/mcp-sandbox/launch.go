package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/judge"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func launchOptions() *options {
	o := newOptions()
	o.takesCommand = true
	o.addLaunch()
	o.addPolicy()
	o.heading("Packages (npx, pnpm dlx, bunx, deno run, pipx run, uvx, go run)")
	addProfile(o)
	return o
}

// runOptions are a launch's, with where it is to run.
func runOptions() *options {
	o := launchOptions()
	addInstall(o)
	o.addBackend()
	o.keeps = true
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
	if o.backend.name == "" {
		var code int
		if ord, code = withPackage(o, ord, command); ord == nil {
			return code
		}
	}
	if ord.ReportFD = o.ReportFD; o.ReportFD >= 0 {
		ord.ReportFile = platform.FileOf(o.ReportFD)
	}
	if ord.Keep = o.isKept(o.ReportFD); ord.Keep {
		sayKept(o, statesVariable)
	}
	if o.backend.name != "" {
		o.tell()
		return o.backend.run(o, ord)
	}
	refusal := withheld.Look(ord)
	for i, note := range o.notes {
		if refusal != "" { // then the command does not run at all
			o.notes[i] = strings.TrimSuffix(note, asItIs)
		}
	}
	o.tell()
	if refusal != "" {
		return o.refuse(refusal)
	}
	return o.refuse(reexec.Exec(ord).Error())
}

// commandOf are the words of the server's command.
func commandOf(args []string) ([]string, error) {
	if len(args) < 2 {
		return nil, errors.New("no command: it comes behind the flags, as in mcp-sandbox run node server.js")
	}
	return launchflags.Command(args)
}

// tell writes the notes to standard error, where no flag asks for quiet.
func (o *options) tell() {
	if isQuiet(o) {
		return
	}
	for _, line := range o.notes {
		reexec.Say(line)
	}
}

// order makes the order of a launch, or says why there is none.
func (o *options) order(command []string) (*order.Order, []string) {
	if err := o.Check(); err != nil {
		return nil, []string{hinted("mcp-sandbox run", err.Error())}
	}
	if err := readStart(o, command); err != nil {
		return nil, []string{err.Error()}
	}
	return launchOrder(o, command)
}

// launchOrder makes the order with the profile that was found.
func launchOrder(o *options, command []string) (*order.Order, []string) {
	ord, why := o.Order(policy.Run, command)
	if len(why) > 0 {
		return nil, why
	}
	reach(o, ord, nil)
	p, err := policy.ParseCanonical(ord.Policy)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if p.State != "" {
		sayKept(o, statesVariable)
	}
	r := review{&o.Launch, &o.envFiles, &p, order.Lookup(ord.Env, "HOME"), o.notes, &o.packages}
	if lines := r.mistakes(); len(lines) > 0 {
		return nil, lines
	}
	r.noteOwner(ord.PolicyFile)
	r.note(command)
	if o.bare {
		r.noteFolder(command[0])
	}
	o.notes, ord.Written = r.notes, r.written()
	ord.EnvFiles = o.paths()
	if o.flags.TTY && o.flags.StdoutGuard { // a terminal takes lines apart and echoes what is typed
		return nil, []string{hinted("mcp-sandbox run", "--tty and --stdout-guard: only one of them")}
	}
	ord.Verbose, ord.TTY, ord.StdoutGuard = o.flags.Verbose, o.flags.TTY, o.flags.StdoutGuard
	ord.Quiet = o.flags.Quiet
	if ord.Notices = slices.Concat(o.notices, r.forTheEnd(o.profile, command)); o.profile != nil {
		ord.Profile = o.profile.Package
	}
	ord.Opens = judge.Opens(asWritten(p, ord), ord.Maker())
	return ord, nil
}
