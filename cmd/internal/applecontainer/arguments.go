package applecontainer

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Request is one machine and the server in it.
type Request struct {
	Policy  policy.Policy
	Name    string // of the machine
	Image   string
	Command []string
	Env     []string // the server's
	Dir     string   // its working folder inside; "" for the image's
}

// home is the server's private home, in memory.
const home = "/home/mcp"

// grants are the folders that the machine gets: host's path, and whether it may be written to.
func (r *Request) grants() (list []grant, err error) {
	fs := &r.Policy.Filesystem
	for _, g := range [...]struct {
		paths []string
		write bool
	}{{fs.AllowRead, false}, {fs.AllowWrite, r.Policy.Level != policy.Strict}} {
		for _, p := range g.paths {
			path, optional := strings.CutPrefix(p, "-")
			info, err := os.Stat(path)
			switch {
			case err != nil && optional:
				continue
			case err != nil:
				return nil, err
			case !info.IsDir():
				return nil, errors.New(path + ": only folders can be shown to a virtual machine")
			case strings.ContainsAny(path, ",\n"):
				return nil, errors.New(path + ": the tool takes no comma in a path")
			}
			list = append(list, grant{path, g.write})
		}
	}
	return list, nil
}

type grant struct {
	path  string
	write bool
}

// unheld are the policy's values that the tool has nothing for.
func unheld(p *policy.Policy) []string {
	yes, _ := p.Subprocess.Allow.Value()
	var keys []string
	for _, v := range [...]struct {
		key string
		is  bool
	}{
		{"filesystem.default", p.Filesystem.Default == policy.Read},
		{"filesystem.denyRead", len(p.Filesystem.DenyRead) > 0},
		{"filesystem.denyWrite", len(p.Filesystem.DenyWrite) > 0},
		{"network.allowedDomains", len(p.Network.AllowedDomains) > 0},
		{"network.deniedDomains", len(p.Network.DeniedDomains) > 0},
		{"network.allowUnixSockets", len(p.Network.AllowUnixSockets) > 0},
		{"network.publish", len(p.Network.Publish) > 0},
		{"subprocess.allow", !yes},
		{"seccomp.deny", len(p.Seccomp.Deny) > 0},
		{"state", p.State != ""},
		{"level", p.Level == policy.Privileged},
	} {
		if v.is {
			keys = append(keys, v.key)
		}
	}
	return keys
}

// Start is the tool's arguments that make the machine, with a process that only waits.
func (r *Request) Start() ([]string, error) {
	p := &r.Policy
	grants, err := r.grants()
	if err != nil {
		return nil, err
	}
	args := []string{"run", "--detach", "--name", r.Name, "--progress", "none", "--read-only",
		"--tmpfs", "/tmp", "--tmpfs", home}
	if p.Level != policy.LevelNetwork {
		args = append(args, "--network", "none", "--no-dns")
	}
	if milli, limited := p.Limits.CPU.Value(); limited { // whole processors
		args = append(args, "--cpus", strconv.FormatInt((milli+999)/1000, 10))
	}
	if n, limited := p.Limits.Memory.Value(); limited {
		args = append(args, "--memory", strconv.FormatInt(max(1, n>>20), 10)+"M")
	}
	for _, g := range grants {
		m := "type=bind,source=" + g.path + ",target=" + g.path
		if !g.write {
			m += ",readonly"
		}
		args = append(args, "--mount", m)
	}
	return append(args, "--user", r.user(), "--entrypoint", "/bin/sleep", r.Image, "infinity"), nil
}

// Exec is the arguments that run the server in it. Its environment is on the command line, which others of the
// same user can read; there is no other way for values with line breaks.
func (r *Request) Exec() []string {
	args := []string{"exec", "--interactive", "--user", r.user()}
	if r.Dir != "" {
		args = append(args, "--workdir", r.Dir)
	}
	for _, v := range r.Env {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "PATH", "HOME", "SHELL", "USER", "LOGNAME", "TMPDIR": // the host's mean nothing there
			continue
		}
		args = append(args, "--env", v)
	}
	return append(append(args, "--env", "HOME="+home, r.Name), r.Command...)
}

func (r *Request) user() string { return cmp.Or(r.Policy.User, "65533:65533") }

// Inspect, Stop and Delete are the arguments of the other calls. Stop asks, and kills after so many seconds.
func (r *Request) Inspect() []string { return []string{"inspect", r.Name} }
func (r *Request) Stop(seconds int) []string {
	return []string{"stop", "--time", strconv.Itoa(seconds), r.Name}
}
func (r *Request) Delete() []string { return []string{"delete", "--force", r.Name} }
