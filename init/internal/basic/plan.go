package basic

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A plan is what the server is started with.
type plan struct {
	limits     policy.Limits
	subprocess bool
	pids       bool // the policy names the number of processes
	command    string
	args       []string // with the command as it was given
	env        []string
	dir        string
	umask      policy.Umask
	user       ids
	host       int           // the process whose end is the host's, or 0
	grace      time.Duration // of a server whose host has ended
	private    string        // the private folder; "" in level privileged, which has the host's
	stdout     *os.File      // in place of the shim's own, or nil
}

// unheld are the policy's explicit values that nothing holds here. What is only the default of the level is not in it: it
// belongs to the confinement's name.
func unheld(p *policy.Policy, system string) []string {
	var keys []string
	add := func(key string, is bool) {
		if is {
			keys = append(keys, key)
		}
	}
	yes, _ := p.Subprocess.Allow.Value()
	add("filesystem.denyRead", len(p.Filesystem.DenyRead) > 0)
	add("filesystem.denyWrite", len(p.Filesystem.DenyWrite) > 0)
	add("network.allowedDomains", len(p.Network.AllowedDomains) > 0)
	add("network.deniedDomains", len(p.Network.DeniedDomains) > 0)
	add("network.allowUnixSockets", len(p.Network.AllowUnixSockets) > 0)
	add("subprocess.allow", !yes && system != "windows")
	add("seccomp.deny", len(p.Seccomp.Deny) > 0)
	return keys
}

// holdable refuses a policy that demands more than this system can hold. Someone who writes out that less will do is taken at
// his word, and the report says what does not hold.
func holdable(p *policy.Policy, written bool) error {
	if !policy.ConfinementLimits.Holds(p.MinConfinement) {
		return &order.Refusal{Layer: order.Policy, Op: "reach minConfinement " + string(p.MinConfinement),
			Err: errors.New(systemName(runtime.GOOS) + " gives limits and no more")}
	}
	if keys := unheld(p, runtime.GOOS); len(keys) > 0 && !written {
		return &order.Refusal{Layer: order.Policy, Op: "hold", Path: strings.Join(keys, ", "),
			Err: errors.New(systemName(runtime.GOOS) + " has no barrier for it")}
	}
	return checkUser(p)
}

// systemName is how people call an operating system.
func systemName(system string) string {
	switch system {
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return system
}

// lay finds the command and the folders.
func (s *shim) lay() (plan, error) {
	o, p := s.Order, &s.policy
	yes, _ := p.Subprocess.Allow.Value()
	l := plan{limits: p.Limits, subprocess: yes, pids: o.PidsWritten, args: o.Command, dir: o.Dir, umask: p.Umask, user: userOf(p)}
	for _, g := range [...]struct {
		key   string
		paths []string
	}{{"filesystem.allowRead", p.Filesystem.AllowRead}, {"filesystem.allowWrite", p.Filesystem.AllowWrite}} {
		for _, path := range g.paths {
			if _, optional := strings.CutPrefix(path, "-"); optional {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				return l, refusedPath(g.key, path, err)
			}
		}
	}
	if p.Cwd != "" {
		l.dir = p.Cwd
	}
	if info, err := os.Stat(l.dir); err != nil {
		return l, refusedPath("cwd", l.dir, err)
	} else if !info.IsDir() {
		return l, refusedPath("cwd", l.dir, fsview.ErrNotVisible)
	}
	var err error
	if l.command, err = find(o.Command[0], o.Dir, order.Lookup(o.Env, "PATH"), order.Lookup(o.Env, "PATHEXT")); err != nil {
		return l, &order.Refusal{Layer: order.Exec, Op: "start", Path: o.Command[0], Err: err}
	}
	return l, nil
}

func refusedPath(op, path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &order.Refusal{Layer: order.Policy, Op: op, Path: path, Err: err}
}
