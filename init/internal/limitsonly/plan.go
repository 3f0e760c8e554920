package limitsonly

import (
	"cmp"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A plan is an order resolved for this machine.
type plan struct {
	order.Order
	policy  policy.Policy
	command string // the command's file
	workdir string
	user    ids
	host    int         // its end is the end of the host; 0: none, or its end ends nothing
	private privdir.Dir // none in level privileged
	lasts   *state.Folder
	stores  installs
}

// alterLimits lets tests change the limits that are set, but not those that are demanded.
var alterLimits = func(*plan, *limits) {}

// newPlan finds out everything that can be wrong with an order before there is a process.
func newPlan(o *order.Order) (*plan, error) {
	p := &plan{Order: *o}
	var err error
	if p.policy, err = policy.ParseCanonical(o.Policy); err != nil {
		return nil, &order.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	if err = checkEnforceable(&p.policy, o.MinWritten); err != nil {
		return nil, err
	}
	p.user = userOf(&p.policy)
	if err = checkGrants(&p.policy.Filesystem); err != nil {
		return nil, err
	}
	p.workdir = cmp.Or(p.policy.Cwd, o.Dir)
	info, err := os.Stat(p.workdir)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return nil, refusedPath("cwd", p.workdir, err)
	}
	if p.command, err = find(o); err != nil {
		return nil, &order.Refusal{Layer: order.Exec, Op: "start", Path: o.Command[0], Err: err}
	}
	return p, nil
}

// checkGrants refuses grants of paths that do not exist, but for optional ones.
func checkGrants(f *policy.Filesystem) error {
	for _, g := range [...]struct {
		key   string
		paths []string
	}{{"filesystem.allowRead", f.AllowRead}, {"filesystem.allowWrite", f.AllowWrite}} {
		for _, path := range g.paths {
			if strings.HasPrefix(path, "-") {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				return refusedPath(g.key, path, err)
			}
		}
	}
	return nil
}

// unenforceable are the keys with explicit values that nothing enforces here. A level's default is excluded:
// the confinement's name stands for the default.
func unenforceable(p *policy.Policy, system string) []string {
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
	add("network.publish", len(p.Network.Publish) > 0)
	add("subprocess.allow", !yes && system != "windows")
	add("seccomp.deny", len(p.Seccomp.Deny) > 0)
	return keys
}

// checkEnforceable refuses a policy that demands more than this system can enforce. If minConfinement limits is written
// out the server starts without, and the report lists the keys that do not hold.
func checkEnforceable(p *policy.Policy, written bool) error {
	if !policy.ConfinementLimits.Holds(p.MinConfinement) {
		return &order.Refusal{Layer: order.Policy, Op: "reach minConfinement " + string(p.MinConfinement),
			Err: errors.New(systemName(runtime.GOOS) + " gives limits and no more")}
	}
	if keys := unenforceable(p, runtime.GOOS); len(keys) > 0 && !written {
		return &order.Refusal{Layer: order.Policy, Op: "hold", Path: strings.Join(keys, ", "),
			Err: errors.New(systemName(runtime.GOOS) + " has no barrier for it")}
	}
	return checkUser(p)
}

// systemName is the name of an operating system for people.
func systemName(system string) string {
	switch system {
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return system
}

func refusedPath(op, path string, err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		err = p.Err
	}
	return &order.Refusal{Layer: order.Policy, Op: op, Path: path, Err: err}
}
