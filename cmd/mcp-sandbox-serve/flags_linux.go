package main

import (
	"cmp"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// options are the flags that run does not have.
type options struct {
	limits session.Limits
	place
	access
	origins, hosts []string
	body           policy.Quantity
	secrets        string
	log            string
	verbose        bool
	uid            int // of the proxy; -1 for none
}

// A place is where serve listens.
type place struct {
	listen, admin, cert, key string
	plain                    bool
}

// access has the flags of the source of principals.
type access struct{ tokens, ca, issuer, audience, claim, header string }

const maxBody = 4 << 20

func command(limits session.Limits) cli.Command {
	return cli.Command{
		Name: "serve", Args: "[flags] -- COMMAND [ARG...]", Short: "serve an MCP server to a team over HTTP",
		Long: `Serves the MCP server COMMAND at http://127.0.0.1:8080/mcp: a sandbox for each
session of clients up to protocol version 2025-11-25, and one for each principal
from 2026-07-28 on. Off loopback it asks for a token, a certificate, an issuer or
a proxy. "mcp-sandbox-serve token PRINCIPAL" makes a token.
`,
		Tips: `  mcp-sandbox-serve --allow-read ~/notes -- node server.js
  mcp-sandbox-serve --listen :8443 --tls-cert c.pem --tls-key k.pem --token-file tokens -- ./server
`,
		Setup: func(f *cli.Flags) cli.Run { return setup(f, limits) },
	}
}

func setup(f *cli.Flags, limits session.Limits) cli.Run {
	o := &options{limits: limits, body: maxBody, uid: -1}
	l := pipeline.New(f)
	word := func(name, value, text string, at *string) { f.Value(name, value, text, launchflags.Once(at)) }
	file := func(name, value, text string, at *string) {
		f.Value(name, value, text, pipeline.HomeExpanded(launchflags.Once(at)))
	}
	f.Heading("Address")
	word("listen", "ADDRESS", "HOST:PORT or unix:/path (default 127.0.0.1:8080)", &o.listen)
	word("admin-listen", "ADDRESS", "/healthz, /readyz and /metrics here, for whoever asks", &o.admin)
	file("tls-cert", "FILE", "certificate, read again when it changes", &o.cert)
	file("tls-key", "FILE", "its key", &o.key)
	f.Switch("plain-http", "without TLS off loopback, behind a proxy that has it", &o.plain)
	f.Heading("Who may come (at most one; none is needed on loopback and a unix socket)")
	file("token-file", "FILE", "bearer tokens, read again when it changes", &o.tokens)
	file("client-ca", "FILE", "certificates of clients", &o.ca)
	word("oidc-issuer", "URL", "bearer tokens of an OpenID issuer", &o.issuer)
	word("audience", "NAME", "for which they must be", &o.audience)
	word("oidc-claim", "NAME", "the claim with the principal (default sub)", &o.claim)
	word("proxy-header", "NAME", "a header of a proxy on a unix socket", &o.header)
	f.Value("proxy-uid", "N", "the proxy's user", number(&o.uid, 0))
	f.Value("allow-origin", "ORIGIN", "let web pages of this origin ask (again for more)", list(&o.origins))
	f.Value("allow-host", "HOST", "a name of this server besides localhost (again for more)", list(&o.hosts))
	file("secrets", "DIR", "variables of each principal: DIR/PRINCIPAL.env", &o.secrets)
	f.Heading("How much, how long")
	n := &o.limits
	f.Value("max-sandboxes", "N", "in all (default 100)", number(&n.Sandboxes, 1))
	f.Value("max-per-principal", "N", "sandboxes of one principal (default 8)", number(&n.PerPrincipal, 1))
	f.Value("max-requests", "N", "in flight, of a sandbox (default 64)", number(&n.Requests, 1))
	size := func(s string) error { return o.body.UnmarshalText([]byte(s)) }
	f.Value("max-body", "SIZE", "of a request (default 4M)", once(size))
	f.Value("idle", "TIME", "end a sandbox that does nothing (default 15m)", duration(&n.Idle, 1))
	f.Value("idle-open", "TIME", "the same, where a client listens (default 12h)", duration(&n.IdleOpen, 1))
	f.Value("start-timeout", "TIME", "for a start and initialize (default 60s)", duration(&n.Start, 1))
	f.Value("drain-delay", "TIME", "from SIGTERM to the first end (default 5s)", duration(&n.DrainDelay, 0))
	f.Value("drain", "TIME", "for calls in flight after that (default 60s)", duration(&n.Drain, 0))
	f.Heading("Log and policy")
	word("log", "text|json", "form of the log on standard error (default text)", &o.log)
	f.Switch("verbose", "log more", &o.verbose)
	l.AddSource()
	l.AddPolicy()
	f.Heading("Packages (npx, pnpm dlx, bunx, deno run, pipx run, uvx, go run)")
	l.AddProfile()
	l.Install.AddFlags()
	return func(args []string) int {
		command, err := launchflags.Command(args)
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return cli.UsageError("serve", err.Error())
		}
		return serve(f, l, o, command)
	}
}

func list(at *[]string) func(string) error {
	return func(s string) error {
		*at = append(*at, s)
		return nil
	}
}

// once is take for a flag that may be given once.
func once(take func(string) error) func(string) error {
	first := launchflags.Once(new(string))
	return func(s string) error {
		if err := first(s); err != nil {
			return err
		}
		return take(s)
	}
}

func number(at *int, least int) func(string) error {
	return once(func(s string) (err error) {
		if *at, err = strconv.Atoi(s); err != nil || *at < least {
			err = errors.New(strconv.Quote(s) + " is no number from " + strconv.Itoa(least) + " on")
		}
		return err
	})
}

func duration(at *time.Duration, least time.Duration) func(string) error {
	return once(func(s string) (err error) {
		if *at, err = time.ParseDuration(s); err != nil || *at < least {
			err = errors.New(strconv.Quote(s) + " is no time, as 90s or 1h")
		}
		return err
	})
}

// check is the error of flags that do not go together.
func (o *options) check() error {
	o.listen = cmp.Or(o.listen, "127.0.0.1:8080")
	unix := strings.HasPrefix(o.listen, "unix:")
	noFile := func(address string) bool { return strings.HasPrefix(address+"@", "unix:@") } // @: every user's; unix(7)
	given := slices.DeleteFunc([]string{o.tokens, o.ca, o.issuer, o.header}, func(s string) bool { return s == "" })
	_, port, noPort := net.SplitHostPort(o.listen)
	if noPort == nil {
		_, noPort = strconv.ParseUint(port, 10, 16)
	}
	known := unix || o.loopback()
	for _, c := range [...]struct {
		bad  bool
		text string
	}{
		{!unix && noPort != nil, "--listen " + o.listen + ": HOST:PORT, or unix:PATH"},
		{noFile(o.listen) || noFile(o.admin), "unix:PATH, where PATH is that of a file"},
		{len(given) > 1, "--token-file, --client-ca, --oidc-issuer, --proxy-header: only one of them"},
		{len(given) == 0 && !known, "--listen " + o.listen + " is reached from elsewhere: --token-file, --client-ca, " +
			"--oidc-issuer or --proxy-header says who may come"},
		{(o.cert == "") != (o.key == ""), "--tls-cert and --tls-key: both or none"},
		{o.cert == "" && !known && !o.plain, "--listen " + o.listen + " without --tls-cert: tokens would be read on " +
			"the way; --plain-http if a proxy in front has TLS"},
		{o.ca != "" && o.cert == "", "--client-ca needs --tls-cert and --tls-key"},
		{o.cert != "" && unix, "--tls-cert on a unix socket: leave it out"},
		{(o.issuer == "") != (o.audience == ""), "--oidc-issuer and --audience: both or none"},
		{o.claim != "" && o.issuer == "", "--oidc-claim needs --oidc-issuer"},
		{(o.header == "") != (o.uid < 0), "--proxy-header and --proxy-uid: both or none"},
		{o.header != "" && !unix, "--proxy-header needs --listen unix:/path: any other peer could send the header too"},
		{o.log != "" && o.log != "text" && o.log != "json", "--log " + strconv.Quote(o.log) + ": text or json"},
		{o.body < 1<<10, "--max-body: 1K or more"},
	} {
		if c.bad {
			return errors.New(c.text)
		}
	}
	return nil
}

func (p *place) loopback() bool {
	host, _, err := net.SplitHostPort(p.listen)
	return err == nil && principal.IsLoopback(host)
}
