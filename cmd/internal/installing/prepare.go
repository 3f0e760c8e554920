package installing

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// An interrupted install is the error of an install that a signal ended.
type interrupted struct{ by syscall.Signal }

func (i *interrupted) Error() string { return "ended by " + i.by.String() }

// ExitCode returns the exit status of a process that a signal ended, where the error is of such an install; else 0.
func ExitCode(err error) int {
	if i, ok := errors.AsType[*interrupted](err); ok {
		return 128 + int(i.by)
	}
	return 0
}

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

// A terminal says how wide it is.
type terminal struct{ *os.File }

// Columns are those of a row now.
func (t terminal) Columns() int { return page.TerminalWidth(t.File) }

// options are those of an install in a level, which says to people how it goes on.
func (i *Installer) options(level policy.Level) install.Options {
	o := i.Options
	o.Level, o.Told = level, reexec.Say
	if i.flags.Stderr.Quiet {
		o.Told = nil
	} else if page.IsTerminal(os.Stderr) {
		o.Terminal = terminal{os.Stderr}
	}
	return o
}

// Find finds the package of a start in the store; the error is store.ErrNone where it is not there.
func (i *Installer) Find(start *startline.Start) (*install.Ready, error) {
	in, err := OpenStore(i.flags)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return install.Find(in, start, i.Options)
}

// Prepare finds the package of a start in the store, or installs the package. With hosted the install ends with the
// host, which waits for a server.
func (i *Installer) Prepare(start *startline.Start, level policy.Level, hosted bool) (*install.Ready, error) {
	in, err := OpenStore(i.flags)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	options := i.options(level)
	r, err := install.Find(in, start, options)
	if errors.Is(err, store.ErrNone) {
		if line := withheld.InstallProxy(level); line != "" {
			i.flags.Stderr.Say(line)
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
	for _, line := range r.Lines {
		i.flags.Stderr.Say(line)
	}
	r.Package.Touch()
	return r, nil
}
