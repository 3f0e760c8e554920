package order

import (
	"errors"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// New makes the order for one server. Paths of the policy that are still relative start at dir; env is what the
// server's variables are chosen from. A policy that is not valid, or that asks for what nothing enforces yet, is a
// policy.Errors.
func New(p policy.Policy, program policy.Program, command, env []string, dir string) (*Order, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("no command")
	}
	written, pids, named := p.MinConfinement != "", p.Limits.Pids != 0, namedLimits(&p.Limits)
	p, err := p.Absolute(dir, Home(env))
	if err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p, err = p.WithAgent(env); err != nil {
		return nil, err
	}
	p = p.Effective(program)
	o := &Order{Policy: p.AppendJSON(nil), Command: command, Dir: dir, ReportFD: -1,
		Guide: Guide{Named: named}, Flags: Flags{MinWritten: written, PidsWritten: pids}}
	o.Env, o.Dropped = p.Environ(env)
	return o, nil
}

// Lookup is the last value of a variable in a list of NAME=VALUE. Windows does not tell the cases of names apart.
func Lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		n, v, ok := strings.Cut(env[i], "=")
		if ok && (n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			return v
		}
	}
	return ""
}

// Home is the folder that "~" stands for: HOME, on Windows USERPROFILE where there is no HOME.
func Home(env []string) string {
	home := Lookup(env, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = Lookup(env, "USERPROFILE")
	}
	return home
}
