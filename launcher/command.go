package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// ErrNotArmed is the error of a host whose main did not call reexec.Init first: started again it would not be a shim but
// a second host.
var ErrNotArmed = errors.New("launcher: main must call reexec.Init before anything else")

// A Target is the server to start.
type Target struct {
	// Path is the command: with a slash it is a file, relative to Dir; without it is looked up in the server's PATH.
	Path string
	// Args are its arguments, without the command itself.
	Args []string
	// Env is what the server's variables are taken from, NAME=VALUE; nil is the host's own environment. The policy
	// chooses which of them the server gets.
	Env []string
	// Dir is the folder that relative paths start from, and the server's working directory if it can be seen inside; ""
	// is the host's own.
	Dir string
}

// Command prepares a server to be started by sb.Cmd. It fails for a policy that is wrong; that a path is missing, or
// that the machine cannot hold what the policy demands, is told by [Sandbox.Report].
//
// When ctx ends, the server is asked to end (SIGTERM to the shim, which escalates), and everything is killed after the
// policy's grace. [Sandbox.Close] is for a command that is never started.
func Command(ctx context.Context, p policy.Policy, t Target) (*Sandbox, error) {
	if !reexec.Armed() {
		return nil, ErrNotArmed
	}
	o, err := NewOrder(p, policy.Library, t)
	if err != nil {
		return nil, err
	}
	return command(ctx, o)
}

// NewOrder turns a policy and a target into what the shim works from, for programs that become the shim themselves.
func NewOrder(p policy.Policy, program policy.Program, t Target) (*order.Order, error) {
	if t.Path == "" {
		return nil, &Error{Layer: order.Policy, Op: "target", Err: errors.New("no command")}
	}
	env := t.Env
	if env == nil {
		env = os.Environ()
	}
	dir := t.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, &Error{Layer: order.Policy, Op: "getwd", Err: err}
		}
	}
	written := p.MinConfinement != ""
	p, err := p.Absolute(dir, lookup(env, "HOME"))
	if err != nil {
		return nil, policyError(err)
	}
	p = p.Effective(program)
	if err := p.Validate(); err != nil {
		return nil, policyError(err)
	}
	if err := policy.Unenforced(p); err != nil {
		return nil, policyError(err)
	}
	o := &order.Order{Policy: p.AppendJSON(nil), Command: append([]string{t.Path}, t.Args...), Dir: dir,
		ReportFD: -1, MinWritten: written}
	o.Env, o.Dropped = p.Environ(env)
	o.Launcher, _ = os.Executable()
	return o, nil
}

// lookup is the last value of a variable.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if len(env[i]) > len(name) && env[i][len(name)] == '=' && env[i][:len(name)] == name {
			return env[i][len(name)+1:]
		}
	}
	return ""
}

// killAfter is how long after the end of ctx the shim itself is killed, should it not have ended: longer than its own
// escalation.
const killAfter = 7 * time.Second

// polite makes the end of a Cmd's context ask the shim, which ends the whole tree.
func polite(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = killAfter
}
