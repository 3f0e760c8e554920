package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// An interrupted install is the error of an install that a signal ended.
type interrupted struct{ by syscall.Signal }

func (i *interrupted) Error() string { return "ended by " + i.by.String() }

// exitCode is that of a process that the signal ended.
func (i *interrupted) exitCode() int { return 128 + int(i.by) }

// errHostGone is the cause of an install's end with the host for whose server it was.
var errHostGone = errors.New("the host ended before its server was installed")

// untilEnd is a context that ends with the first of SIGTERM, SIGINT and SIGHUP, and with the host. Signals that this
// process was started to ignore stay ignored.
func untilEnd(host <-chan struct{}) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 1)
	for _, s := range [...]os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(came, s)
		}
	}
	go func() {
		select {
		case s := <-came:
			cancel(&interrupted{s.(syscall.Signal)})
		case <-host:
			cancel(errHostGone)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
	}
}

// installer says to people how an install goes on.
func installer(o *options, level policy.Level) install.Options {
	i := o.options
	i.Level, i.Told = level, reexec.Say
	if o.flags.Quiet {
		i.Told = nil
	} else if page.IsTerminal(os.Stderr) {
		i.Terminal = terminal{os.Stderr}
	}
	return i
}

// A terminal says how wide it is.
type terminal struct{ *os.File }

// Columns are those of a row now.
func (t terminal) Columns() int { return page.TerminalWidth(t.File) }

// prepare finds the package of a start in the store, or installs the package. With hosted the install ends with the
// host, which waits for a server.
func prepare(o *options, start *startline.Start, level policy.Level, hosted bool) (*install.Ready, error) {
	in, err := openStore(o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	options := installer(o, level)
	r, err := install.Find(in, start, options)
	if errors.Is(err, store.ErrNone) {
		if line := withheld.InstallProxy(level); line != "" {
			say(o, line)
		}
		var host <-chan struct{}
		if hosted {
			host = reexec.HostEnds()
		}
		ctx, stop := untilEnd(host)
		defer stop()
		r, err = install.Prepare(ctx, in, start, options)
	}
	if err != nil {
		return nil, err
	}
	if !o.flags.Quiet {
		for _, line := range r.Lines {
			reexec.Say(line)
		}
	}
	r.Package.Touch()
	return r, nil
}

// withPackage makes an order that of the program of the package which the command starts. The code is the exit status
// where there is none.
func withPackage(o *options, ord *order.Order, command []string) (*order.Order, int) {
	if o.start == nil {
		return ord, 0
	}
	p, err := policy.ParseCanonical(ord.Policy)
	if err != nil {
		return nil, o.refuse(err.Error())
	}
	if p.Level == policy.Privileged { // the policy's file says so
		return ord, 0
	}
	r, err := prepare(o, o.start, p.Level, p.OnHostExit != policy.Ignore)
	if signalled, ok := errors.AsType[*interrupted](err); ok {
		o.refuse(err.Error())
		return nil, signalled.exitCode()
	}
	if errors.Is(err, install.ErrNoManager) {
		o.notes = append(o.notes, err.Error()+asItIs)
		return ord, 0
	}
	if err != nil {
		return nil, o.refuse(err.Error())
	}
	if ord, err = ofOwner(o, ord, r, command); err != nil {
		return nil, o.refuse(err.Error())
	}
	startPackage(ord, r)
	return ord, 0
}

// withStored is withPackage for a command that installs nothing. The error is store.ErrNone where the package is not
// there.
func withStored(o *options, ord *order.Order, command []string) (*order.Order, error) {
	if o.start == nil {
		return ord, nil
	}
	in, err := openStore(o)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := install.Find(in, o.start, o.options)
	if errors.Is(err, install.ErrNoManager) {
		return ord, nil
	}
	if err != nil {
		return nil, err
	}
	if ord, err = ofOwner(o, ord, r, command); err == nil {
		startPackage(ord, r)
	}
	return ord, err
}

// notInstalled says what to do before a question about a package can be answered.
func notInstalled(o *options) string {
	line := "mcp-sandbox install"
	given := &o.options
	if given.MinAge > 0 {
		line += " --min-age " + given.MinAge.String()
	}
	if given.Size > 0 {
		line += " --install-size " + given.Size.String()
	}
	for i, on := range [...]bool{given.Scripts, given.RegistryAuth, given.RegistryFromProject} {
		if on {
			line += " --" + installFlags()[1+i]
		}
	}
	for _, s := range o.start.Specs {
		line += " " + text.Shell(s.String())
	}
	return o.start.Tool + ": the package is not installed yet: first " + line
}

// ofOwner is the order with the profile of the package that has the program, where the line names several packages.
func ofOwner(o *options, ord *order.Order, r *install.Ready, command []string) (*order.Order, error) {
	if len(o.start.Specs) == 1 || o.asked != "" {
		return ord, nil
	}
	for _, s := range o.start.Specs {
		if s.Name != r.Owner {
			continue
		}
		if err := setProfile(o, idOf(s), command); err != nil || o.profile == nil {
			return ord, err
		}
		notes := o.notes
		again, why := launchOrder(o, command)
		o.notes = notes // the same once more
		if len(why) > 0 {
			return nil, errors.New(why[0])
		}
		return again, nil
	}
	return ord, nil
}

// countOf is a number with its noun.
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
