// The runtime would look at the cgroup's CPU files at start, and descriptors 3 and 4 would be its own.
//
//go:debug containermaxprocs=0

// Command mcp-sandbox-serve serves one stdio MCP server over HTTP, in a sandbox for each client.
//
//	mcp-sandbox-serve --allow-read ~/notes -- node server.js
//	mcp-sandbox-serve --listen :8443 --tls-cert c.pem --tls-key k.pem --token-file tokens -- ./server
//	mcp-sandbox-serve token ann >>tokens
//
// It is a host that embeds the library, so each of its sandboxes is what mcp-sandbox run starts. Standard error has its
// log. Exit status 0 after SIGTERM or SIGINT and drain, 128+N at a second signal, 125 if it refuses to start, 126 or
// 127 if COMMAND cannot be executed or is not found.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func main() {
	reexec.Init()
	reexec.RefusePrivileged()
	if os.Getenv("GOGC") == "" { // a session is memory that waits, of which half as much again is enough
		debug.SetGCPercent(50)
	}
	os.Exit(run(os.Args[1:], session.Usual()))
}

func run(args []string, limits session.Limits) int {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return cli.Show(build.Read("mcp-sandbox-serve").String() + "\n")
	case len(args) > 0 && args[0] == "token":
		return token(args[1:])
	}
	c := command(limits)
	switch {
	case len(args) == 1 && args[0] == "--man": // of mcp-sandbox help --man serve
		return cli.Show(manual.Of(&c).Roff(manual.Stamp()))
	case len(args) > 0 && args[0] == "__manual": // of scripts/dist
		return manual.Write(args[1:], []*manual.Page{manual.Of(&c)}, nil)
	}
	return c.Start(args)
}

// token prints the line for a file of tokens, and the token where no file takes it.
func token(args []string) int {
	if len(args) != 1 || !principal.Valid(args[0]) || strings.ContainsAny(args[0][:1], "-#") ||
		strings.TrimSpace(args[0]) != args[0] {
		return cli.UsageError("serve", "token takes one PRINCIPAL of 1 to 255 bytes, as in mcp-sandbox-serve token ann")
	}
	token, line := principal.NewToken(args[0])
	os.Stderr.WriteString(token + "\n")
	return cli.Show(line)
}

// A starter starts the sandboxes of principals.
type starter struct {
	policy  policy.Policy
	target  launcher.Target
	secrets string // a folder; "" for none
	log     *journal.Journal
}

// newStarter makes the policy and the target of the command line, as run does.
func newStarter(f *cli.Flags, l *pipeline.Line, o *options, command []string) (*starter, []string) {
	s := l.Start(command)
	d, why := l.Decide(s, nil)
	if len(why) > 0 {
		return nil, why
	}
	ready, note, err := l.Prepare(s, d)
	if err != nil {
		return nil, []string{err.Error()}
	}
	if d, why = l.DecideOwner(s, d, ready); len(why) > 0 {
		return nil, why
	}
	f.Stderr.All(f.Notes, s.Notes, d.Notes, note)
	ord := l.Order(s, d, ready)
	p := d.Written()
	p.OnHostExit = policy.Terminate
	p.OnStdinClose = policy.Ignore // serve ends it; a launcher that watches holds the reading end open
	t := launcher.Target{Path: ord.Command[0], Args: ord.Command[1:], Package: ord.Package, Profile: ord.Profile,
		Leads: ord.Leads}
	if self, err := os.Executable(); err == nil { // as the shim mcp-sandbox-init is smaller; "" where there is none
		t.Shim, _ = exec.LookPath(filepath.Join(filepath.Dir(self), "mcp-sandbox-init"))
	}
	if ready != nil {
		err = p.Set("env", append(slices.Clip(ready.Env), "PATH="+order.Lookup(ord.Env, "PATH"))...)
	}
	if err = cmp.Or(err, o.hidden(p, t)); err != nil {
		return nil, []string{err.Error()}
	}
	if _, refusal := withheld.Look(ord, &d.Policy); refusal != "" {
		return nil, []string{refusal}
	}
	if info, err := os.Stat(o.secrets); o.secrets != "" && (err != nil || !info.IsDir()) {
		return nil, []string{"--secrets " + o.secrets + " is no folder"}
	}
	if len(p.State) > longestState {
		return nil, []string{"state " + p.State + ": at most 30 characters, for a principal's part comes behind"}
	}
	return &starter{policy: p, target: t, secrets: o.secrets}, nil
}

// longestState leaves room for a dot and half of a principal's SHA-256.
const longestState = 30

// hidden is the error of a policy that shows serve's own files to the servers, by a grant or because every server sees
// the place, or that lets a server choose the files.
func (o *options) hidden(p policy.Policy, t launcher.Target) error {
	p.State = "" // which a server of the same name may have
	for _, path := range []string{o.secrets, o.tokens, o.key} {
		if path == "" {
			continue
		}
		own, err := filepath.Abs(path)
		if err == nil {
			own, err = pipeline.End(own, &p.Filesystem)
		}
		if err != nil {
			return fmt.Errorf("%s %w", path, err)
		}
		if _, err := os.Stat(own); err != nil {
			continue // whoever reads it says so
		}
		seen, err := launcher.Why(context.Background(), p, t, launcher.Question{Path: own})
		if err != nil {
			return fmt.Errorf("whether every server may read %s: %w", path, err)
		}
		inside := func(grant string) bool { // of the folder of secrets
			real, err := filepath.EvalSymlinks(strings.TrimPrefix(grant, "-"))
			return err == nil && policy.Within(real, own)
		}
		if seen.Allowed == launcher.ActAllowed ||
			slices.ContainsFunc(slices.Concat(p.Filesystem.AllowRead, p.Filesystem.AllowWrite), inside) {
			return fmt.Errorf("every server may read %s: move it elsewhere", path)
		}
	}
	return nil
}

// spec is the sandbox of a principal; "" is the trial's, which has nothing of any principal's.
func (s *starter) spec(who, serial string) (session.Spec, error) {
	p := s.policy
	secrets, err := s.of(who)
	if err = cmp.Or(err, p.Set("env", secrets...)); err != nil {
		return session.Spec{}, err
	}
	switch {
	case who == "":
		p.State = ""
	case p.State != "":
		p.State += fmt.Sprintf(".%x", sha256.Sum256([]byte(who)))[:1+32]
	}
	return session.Spec{Policy: p, Target: s.target, Log: s.log.Server(serial, named(p))}, nil
}

// named are the variables that a server has by the policy, beside those that every server has.
func named(p policy.Policy) []string {
	all, _ := p.Environ(os.Environ())
	p.Env, p.EnvVars = nil, nil
	usual, _ := p.Environ(os.Environ())
	return slices.DeleteFunc(all, func(entry string) bool { return slices.Contains(usual, entry) })
}

// fileName is a principal that can have a file: no path, nothing hidden, and with .env short enough.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_@+-][A-Za-z0-9._@+-]{0,249}$`)

const maxSecrets = 1 << 20

// of are the variables of one principal. A name that is no plain one of a file has none.
func (s *starter) of(who string) (lines []string, err error) {
	if s.secrets == "" || !fileName.MatchString(who) {
		return nil, nil
	}
	path := filepath.Join(s.secrets, who+".env")
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("--secrets: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("--secrets: %s is no file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSecrets+1))
	if err == nil && len(text) > maxSecrets {
		err = errors.New(path + " is longer than 1 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("--secrets: %w", err)
	}
	return pipeline.Variables(text, path)
}
