package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

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
	level := slog.LevelInfo
	if o.verbose {
		level = slog.LevelDebug
	}
	j := journal.New(os.Stderr, o.log == "json", level)
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
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, asks...) // until here a signal ends the process
	probing, done := signal.NotifyContext(ctx, asks...)
	era, err := house.Probe(probing)
	asked := probing.Err() != nil
	switch done(); {
	case asked:
		return 0
	case err != nil:
		return refused(err)
	}
	if j.Log.Info("probed", "server", era); era == session.UnknownServer {
		j.Log.Warn("the server ended in its first start, without an answer",
			"hint", "it had nobody's secrets; mcp-sandbox run with the same flags names arguments that it cannot see")
	}
	servers, err := o.open(front.Config{House: house, Who: source, Log: j, Body: int64(o.body), Loopback: o.loopback(),
		Hosts: o.hosts, Origins: o.origins, Issuer: o.issuer, Admin: o.admin != ""})
	if err != nil {
		return cli.Fail(err.Error())
	}
	go house.Sweep(ctx, source.May)
	first := <-signals
	j.Log.Info("draining", "signal", first.String())
	go func() {
		house.Drain(ctx)
		stop()
	}()
	select {
	case <-ctx.Done():
	case second := <-signals:
		return exitSignal + int(second.(syscall.Signal))
	}
	const lastWords = 5 * time.Second
	ending, done := context.WithTimeout(context.Background(), lastWords)
	defer done()
	for _, server := range servers {
		server.Shutdown(ending)
	}
	j.Log.Info("drained")
	return 0
}

// refused says why the command cannot be served.
func refused(err error) int {
	var r *launcher.Error
	if !errors.As(err, &r) {
		return cli.Fail(err.Error())
	}
	text := r.Error()
	if r.Hint != "" {
		text += ": " + r.Hint
	}
	code := cli.Fail(text)
	switch {
	case r.Layer == order.Exec && errors.Is(r, syscall.ENOENT):
		return exitMissing
	case r.Layer == order.Exec && (errors.Is(r, syscall.EACCES) || errors.Is(r, syscall.ENOEXEC)):
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
		uid, err := strconv.Atoi(o.uid)
		if err != nil || uid < 0 {
			return principal.Source{}, errors.New("--proxy-uid " + strconv.Quote(o.uid) + " is no number of a user")
		}
		return principal.Proxy(o.header, uid), nil
	case strings.HasPrefix(o.listen, "unix:"):
		return principal.Users(), nil
	}
	j.Log.Warn("every user of this machine may connect", "listen", o.listen)
	return principal.Local(), nil
}

// open listens and serves. The log says where.
func (o *options) open(c front.Config) ([]*http.Server, error) {
	config, err := o.tls(c.Log)
	if err != nil {
		return nil, err
	}
	listener, url, err := listen(o.listen)
	if err != nil {
		return nil, err
	}
	if config != nil {
		listener, url = tls.NewListener(listener, config), strings.Replace(url, "http:", "https:", 1)
	}
	servers, admin := []*http.Server{front.Server(c)}, ""
	if o.admin != "" {
		l, at, err := listen(o.admin)
		if err != nil {
			return nil, err
		}
		admin = at
		servers = append(servers, front.Admin(c))
		go servers[1].Serve(l)
	}
	go servers[0].Serve(listener)
	c.Log.Log.Info("listening", "url", url+"/mcp", "admin", admin)
	return servers, nil
}

// keepAlive finds a client that vanished in 45 s.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 10 * time.Second, Count: 3}

// listen listens, and returns the address as a URL. A socket's file is this user's alone, and gone at the end.
func listen(address string) (net.Listener, string, error) {
	config := net.ListenConfig{KeepAliveConfig: keepAlive}
	path, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		l, err := config.Listen(context.Background(), "tcp", address)
		if err != nil {
			return nil, "", fmt.Errorf("--listen %s: %w", address, err)
		}
		return l, "http://" + l.Addr().String(), nil
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, "", fmt.Errorf("--listen %s: another program listens there", address)
	} else if info, no := os.Lstat(path); no == nil && info.Mode().Type() == os.ModeSocket &&
		errors.Is(err, syscall.ECONNREFUSED) { // as connect(2) answers for any file
		os.Remove(path) // of a program that was killed
	}
	// The file is this user's alone from its first moment: bind(2) takes the mode of the socket.
	config.Control = func(_, _ string, c syscall.RawConn) (err error) {
		return errors.Join(c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) }), err)
	}
	l, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, "", fmt.Errorf("--listen %s: %w", address, err)
	}
	return l, address, nil
}

// tls is the configuration of the two files, and of the clients' authority; nil without them.
func (o *options) tls(j *journal.Journal) (*tls.Config, error) {
	if o.cert == "" {
		return nil, nil
	}
	files := []string{o.cert, o.key}
	if o.ca != "" {
		files = append(files, o.ca)
	}
	fresh, err := principal.NewFresh(func() (*tls.Config, error) {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		// A ticket would outlive the authority that vouched for its client.
		c := &tls.Config{Certificates: []tls.Certificate{pair}, SessionTicketsDisabled: o.ca != ""}
		if err == nil && o.ca != "" {
			var pem []byte
			pem, err = os.ReadFile(o.ca)
			if c.ClientAuth, c.ClientCAs = tls.VerifyClientCertIfGiven, x509.NewCertPool(); err == nil &&
				!c.ClientCAs.AppendCertsFromPEM(pem) {
				err = errors.New("--client-ca " + o.ca + ": no certificate in it")
			}
		}
		return c, err
	}, func(err error) { j.Log.Error("the files of TLS as they were before go on", "error", err) }, files...)
	latest := func(*tls.ClientHelloInfo) (*tls.Config, error) { return fresh.Get(), nil }
	return &tls.Config{GetConfigForClient: latest}, err
}
