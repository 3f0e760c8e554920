package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/front"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// Exit codes besides 0, as run has them.
const (
	exitCannot  = 126
	exitMissing = 127
	exitSignal  = 128 // plus the signal's number
)

// asks are the signals that ask for the end.
var asks = []os.Signal{syscall.SIGTERM, syscall.SIGINT}

// serve tries the command, listens, and drains at the first signal.
func serve(f *cli.Flags, l *pipeline.Line, o *options, command []string) int {
	j := journal.New(os.Stderr, o.log == "json", map[bool]slog.Level{true: slog.LevelDebug}[o.verbose])
	s, why := newStarter(f, l, o, command)
	if len(why) > 0 {
		return cli.Fail(why...)
	}
	s.log = j
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	source, err := o.source(ctx, j)
	if err != nil {
		return cli.Fail(err.Error())
	}
	house := session.New(o.limits, j, s.spec)
	at, err := o.open(front.Config{House: house, Who: source, Log: j, Body: int64(o.body), Loopback: o.loopback(),
		Hosts: o.hosts, Origins: o.origins, Issuer: o.issuer, HTTPS: o.plain, Admin: o.admin != "",
		Alone: o.limits.Alone})
	if err != nil {
		return cli.Fail(err.Error())
	}
	defer at.close()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, asks...) // until here a signal ends the process
	probing, done := signal.NotifyContext(ctx, asks...)
	era, err := house.Probe(probing)
	asked := probing.Err() != nil
	if done(); asked {
		return 0
	} else if err != nil {
		return refused(err)
	}
	if j.Log.Info("probed", "server", era); era == session.UnknownServer {
		j.Log.Warn("the server ended in its first start, without an answer",
			"hint", "it had nobody's secrets; mcp-sandbox run with the same flags names arguments that it cannot see")
	}
	broken := at.serve(j)
	go house.Sweep(source.May)
	var lost error
	select {
	case first := <-signals:
		j.Log.Info("draining", "signal", first.String())
	case lost = <-broken:
		j.Log.Error("draining", "error", lost)
	}
	go func() {
		at.shut(max(house.Drain(), o.limits.Last))
		stop()
	}()
	select {
	case <-ctx.Done():
	case second := <-signals:
		j.Log.Warn("ended before the drain was over", "signal", second.String())
		return exitSignal + int(second.(syscall.Signal))
	}
	if j.Log.Info("drained"); lost != nil {
		return cli.Fail("no more clients could be let in: " + lost.Error())
	}
	return 0
}

// refused says why the command cannot be served.
func refused(err error) int {
	code := cli.Fail(pipeline.Refusal(err))
	switch r, ok := errors.AsType[*launcher.Error](err); {
	case !ok || r.Layer != order.Exec:
	case errors.Is(r, syscall.ENOENT):
		return exitMissing
	case errors.Is(r, syscall.EACCES), errors.Is(r, syscall.ENOEXEC):
		return exitCannot
	}
	return code
}

// source makes the source of principals that the flags name.
func (o *options) source(ctx context.Context, j *journal.Journal) (principal.Source, error) {
	tell := func(err error) { j.Log.Error("the file as it was before goes on", "error", err) }
	switch {
	case o.tokens != "":
		return principal.Tokens(o.tokens, tell)
	case o.ca != "":
		return principal.Certificates(), nil
	case o.issuer != "":
		return principal.OpenID(ctx, o.issuer, o.audience, cmp.Or(o.claim, "sub"))
	case o.header != "":
		return principal.Proxy(o.header, o.uid), nil
	case strings.HasPrefix(o.listen, "unix:"):
		return principal.Users(), nil
	}
	j.Log.Warn("every user of this machine may connect", "listen", o.listen)
	return principal.Local(), nil
}
