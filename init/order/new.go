package order

import (
	"errors"
	"runtime"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Settled policy is valid, has absolute paths and all defaults.
type Settled struct {
	Policy                  policy.Policy
	Named                   []Named // limits that were written out
	MinWritten, PidsWritten bool    // see [Flags]

	limits  policy.Limits // as they were written out
	tmpSize policy.Quantity
}

// Settle fills in a policy. Paths that are still relative start at dir; the server's variables are chosen from env. A
// policy that is not valid, or that asks for an enforcement which does not exist yet, is a policy.Errors.
func Settle(p policy.Policy, program policy.Program, env []string, dir string) (*Settled, error) {
	s := &Settled{Named: namedLimits(&p), MinWritten: p.MinConfinement != "", PidsWritten: p.Limits.Pids != 0,
		limits: p.Limits, tmpSize: p.Filesystem.TmpSize}
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
	s.Policy = p.Effective(program)
	return s, nil
}

// Written returns the policy without the defaults that mean less than the same value written out.
func (s *Settled) Written() policy.Policy {
	p := s.Policy
	if !s.MinWritten {
		p.MinConfinement = ""
	}
	p.Limits, p.Filesystem.TmpSize = s.limits, s.tmpSize
	return p
}

// Order makes the order for one server, without a report. env and dir are those of [Settle].
func (s *Settled) Order(command, env []string, dir string) *Order {
	o := &Order{Policy: s.Policy.AppendJSON(nil), Command: command, Dir: dir, ReportFD: -1,
		Guide: Guide{Named: s.Named}, Flags: Flags{MinWritten: s.MinWritten, PidsWritten: s.PidsWritten}}
	o.Env, o.Dropped = s.Policy.Environ(env)
	return o
}

// New makes the order for one server from a policy that is not settled; the errors are those of [Settle].
func New(p policy.Policy, program policy.Program, command, env []string, dir string) (*Order, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("no command")
	}
	for _, word := range command { // execve(2) would cut it there, and the report would have another
		if strings.ContainsRune(word, 0) {
			return nil, errors.New("the command has a NUL in " + strconv.Quote(word[:min(len(word), 200)]))
		}
	}
	s, err := Settle(p, program, env, dir)
	if err != nil {
		return nil, err
	}
	return s.Order(command, env, dir), nil
}

// Lookup is the last value of a variable in a list of NAME=VALUE, and "" of none.
func Lookup(env []string, name string) string {
	value, _ := Variable(env, name)
	return value
}

// Variable is the same, and whether there is one. Windows does not tell the cases of names apart.
func Variable(env []string, name string) (value string, set bool) {
	for i := len(env) - 1; i >= 0; i-- {
		n, v, ok := strings.Cut(env[i], "=")
		if ok && (n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name)) {
			return v, true
		}
	}
	return "", false
}

// Home is the folder that "~" stands for: HOME, on Windows USERPROFILE where there is no HOME.
func Home(env []string) string {
	home := Lookup(env, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = Lookup(env, "USERPROFILE")
	}
	return home
}
