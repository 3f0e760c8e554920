package policy

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// AgentSocket is the word of allowUnixSockets for the socket that the launcher's variable of this name names.
const AgentSocket = "$" + agentVariable

const agentVariable = "SSH_AUTH_SOCK"

// checkSocket checks an entry of allowUnixSockets.
func checkSocket(s string) error {
	p, _ := strings.CutPrefix(s, "-")
	switch {
	case p == AgentSocket:
		return nil
	case strings.HasPrefix(p, "$"):
		return invalid(s, "names a variable, and only "+AgentSocket+" is known: write the path")
	case strings.HasPrefix(p, "unix:"), strings.HasPrefix(p, "@"):
		return invalid(s, "is no path: write the file of the socket, without a scheme; sockets without a file, "+
			"which are called abstract, cannot be allowed")
	}
	return checkGrant(s)
}

// WithAgent returns the policy with the path of the agent's socket in place of [AgentSocket], from env, which is
// NAME=VALUE, and with that variable forwarded. Of an optional word without a variable nothing is left.
func (p Policy) WithAgent(env []string) (Policy, error) {
	var errs Errors
	r := keyErrors{&errs, find("network", "allowUnixSockets")}
	var list []string
	for i, s := range p.Network.AllowUnixSockets {
		word, optional := strings.CutPrefix(s, "-")
		if word != AgentSocket {
			list = append(list, s)
			continue
		}
		at := agentIn(env)
		switch {
		case at == "" && optional:
			continue
		case at == "":
			r.addAt(i, invalid(s, "cannot be found: the variable "+agentVariable+" is not set where the launcher "+
				"starts (ssh-agent sets it)"))
			continue
		case !absolute(at):
			r.addAt(i, invalid(s, "is "+text.Quote(at)+", which is no absolute path"))
			continue
		}
		if err := checkSocket(at); err != nil {
			r.addAt(i, err)
			continue
		}
		list = append(list, strings.TrimSuffix(s, AgentSocket)+clean(at))
		forward(&p, agentVariable)
	}
	p.Network.AllowUnixSockets = list
	return p, errs.Err()
}

// agentIn is the last value of the variable, or "".
func agentIn(env []string) (value string) {
	for _, v := range env {
		if at, ok := strings.CutPrefix(v, agentVariable+"="); ok {
			value = at
		}
	}
	return value
}

// forward adds a name to envVars, in a list of its own.
func forward(p *Policy, name string) {
	for _, s := range p.EnvVars {
		if s == name {
			return
		}
	}
	p.EnvVars = append(p.EnvVars[:len(p.EnvVars):len(p.EnvVars)], name)
}

// DaemonOf names the program behind a socket by the socket's path, if a client of that program can have it start
// others or read files outside of the sandbox; "" for any other path. A socket of another name may be as powerful.
func DaemonOf(path string) string {
	path, _ = strings.CutPrefix(path, "-")
	for _, d := range [...]struct{ end, program string }{
		{"/docker.sock", "Docker"}, {"/docker.raw.sock", "Docker"}, {"/podman.sock", "Podman"},
		{"/containerd.sock", "containerd"}, {"/crio.sock", "CRI-O"}, {"/buildkitd.sock", "BuildKit"},
		{"/systemd/private", "systemd"}, {"/systemd/io.systemd.Manager", "systemd"},
		{"/bus", "the user's D-Bus"}, {"/system_bus_socket", "the system's D-Bus"},
		{"/lxd/unix.socket", "LXD"}, {"/incus/unix.socket", "Incus"}, {"/libvirt-sock", "libvirt"},
		{"/snapd.socket", "snapd"}, {"/.X11-unix/X0", "the X server"},
	} {
		if strings.HasSuffix(path, d.end) {
			return d.program
		}
	}
	return ""
}
