package launcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// ErrNotArmed is the error of a host whose main did not call reexec.Init first.
var ErrNotArmed = reexec.ErrNotArmed

// A Target is the server to start.
type Target struct {
	// Path is the command: with a slash it is a file, relative to Dir; without it is looked up in the server's PATH.
	Path string
	// Args are its arguments, without the command itself.
	Args []string
	// Env has the variables, as NAME=VALUE, from which the policy chooses the server's; nil is the host's own
	// environment.
	Env []string
	// Dir is the folder that relative paths start from, and the server's working directory if it can be seen inside; ""
	// is the host's own.
	Dir string
	// StdoutGuard sends lines of the server's standard output that are no JSON-RPC messages to standard error, with
	// "mcp-sandbox: stdout: " in front.
	StdoutGuard bool
	// Package is the installed package that the command belongs to; nil for none. The server sees the package's folder
	// read-only, and the report names the package. Package.Path must lie below the store of this user.
	Package *PackageID
	// Profile is the id of the profile that the host added to the policy, for the report; "" for none.
	Profile string
	// Leads are the paths that the profile granted, and where each led when the profile looked: a launch that is led
	// elsewhere is refused. Each is absolute and clean, as profile.Applied has them. Linux alone.
	Leads []Lead
	// Stage is the absolute path of a folder below the store of this user that the server may write, and the server
	// sees nothing else of the store: of a launch that installs a package. "" for none. Where the host is root the
	// folder must belong to the ids of the server. macOS and Windows have no barrier around that folder.
	Stage string
	// Shim is a program that becomes the shim where a launch needs one, in place of the host's own: mcp-sandbox-init,
	// which starts faster than a large host, and has less memory. "" for the host's own. The path is absolute, for a
	// server may write the folder that another one starts from. Linux alone.
	Shim string
	// OnDenied is called with the acts that the server is refused: the first time of each, and of a system call now and
	// then again. All calls come one after the other from one goroutine, which is none of the host's. A slow function
	// holds up neither the server nor Wait: the calls of a whole launch, some 250 at most, may wait, and come after
	// Wait has returned. A host that is stopped misses some. [Result].Denied has the counts in any case.
	OnDenied func(Denial)
}

// Command prepares a server to be started by sb.Cmd. Command fails for an invalid policy. A missing path, or a demand
// of the policy that the machine cannot hold, is an error of [Sandbox.Report]. In a host that was started with
// set-user-ID, set-group-ID or file capabilities Command fails with an [*Error] of layer policy.
//
// When ctx ends, the server is asked to end (SIGTERM to the process that was started, which escalates), and everything
// is killed after the policy's grace, or after 1.5 s if the policy names none. [Sandbox.Close] is for a command that is
// never started.
func Command(ctx context.Context, p policy.Policy, t Target) (*Sandbox, error) {
	return prepare(ctx, p, t, false)
}

// prepare makes a sandbox. A probe ends when everything is built and proved.
func prepare(ctx context.Context, p policy.Policy, t Target, probe bool) (*Sandbox, error) {
	if !reexec.Armed() {
		return nil, ErrNotArmed
	}
	if err := privileged(); err != nil {
		return nil, err
	}
	o, err := newOrder(p, t)
	if err == nil && t.Shim != "" && !filepath.IsAbs(t.Shim) {
		err = fmt.Errorf("shim %.200q is no absolute path", t.Shim)
	}
	if err != nil {
		return nil, &Error{Layer: order.Policy, Op: "check", Err: err}
	}
	o.Probe = probe
	begin(o, p.Level)
	sb, err := command(ctx, o, &p, t.Shim)
	if err == nil {
		sb.shim.records.onDenied = t.OnDenied
		sb.shim.records.hostNetwork = p.Level == policy.LevelNetwork
		if grace, named := p.Limits.Grace.Value(); named {
			sb.Cmd.WaitDelay = max(killAfter, grace+beyondGrace)
		}
	}
	return sb, err
}

// privileged is the error of a host that has more rights than its caller: the caller would choose the command.
func privileged() error {
	if err := reexec.Unprivileged(); err != nil {
		return &Error{Layer: order.Policy, Op: "launch", Err: err}
	}
	return nil
}

// newOrder fills in the host's environment and folder where the target names none.
func newOrder(p policy.Policy, t Target) (*order.Order, error) {
	env, dir := t.Env, t.Dir
	if env == nil {
		env = os.Environ()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	o, err := order.New(p, policy.Library, append([]string{t.Path}, t.Args...), env, dir)
	if err != nil {
		return nil, err
	}
	o.Launcher, _ = os.Executable()
	o.StdoutGuard, o.TellDenied = t.StdoutGuard, t.OnDenied != nil
	if t.Package != nil { // the caller's to change
		id := *t.Package
		t.Package = &id
	}
	for _, l := range t.Leads {
		if !filepath.IsAbs(l.Path) || filepath.Clean(l.Path) != l.Path {
			return nil, fmt.Errorf("lead %.200q is no absolute, clean path", l.Path)
		}
	}
	o.Stored = order.Stored{Package: t.Package, Profile: t.Profile, Stage: t.Stage, Leads: slices.Clone(t.Leads)}
	return o, nil
}
