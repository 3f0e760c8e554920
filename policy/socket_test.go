package policy

import (
	"reflect"
	"strings"
	"testing"
)

// TestWithAgent: the word becomes the path of the launcher's agent, which the server is told of too; every other path
// stays.
func TestWithAgent(t *testing.T) {
	for name, test := range map[string]struct {
		list, env, want, forwarded []string
		err                        string
	}{
		"none":      {list: []string{"/run/a"}, env: []string{"SSH_AUTH_SOCK=/run/x"}, want: []string{"/run/a"}},
		"set":       {list: []string{"/run/a", AgentSocket}, env: []string{"SSH_AUTH_SOCK=/run//x"}, want: []string{"/run/a", "/run/x"}, forwarded: []string{"SSH_AUTH_SOCK"}},
		"last":      {list: []string{AgentSocket}, env: []string{"SSH_AUTH_SOCK=/run/x", "SSH_AUTH_SOCK=/run/y"}, want: []string{"/run/y"}, forwarded: []string{"SSH_AUTH_SOCK"}},
		"optional":  {list: []string{"-" + AgentSocket}, env: []string{"SSH_AUTH_SOCK=/run/x"}, want: []string{"-/run/x"}, forwarded: []string{"SSH_AUTH_SOCK"}},
		"without":   {list: []string{"-" + AgentSocket, "/run/a"}, want: []string{"/run/a"}},
		"unset":     {list: []string{"/run/a", AgentSocket}, err: `/network/allowUnixSockets/1: "$SSH_AUTH_SOCK" cannot be found`},
		"empty":     {list: []string{AgentSocket}, env: []string{"SSH_AUTH_SOCK="}, err: "cannot be found"},
		"relative":  {list: []string{AgentSocket}, env: []string{"SSH_AUTH_SOCK=x"}, err: "no absolute path"},
		"elsewhere": {list: []string{AgentSocket}, env: []string{"SSH_AUTH_SOCK=/proc/1/root/x"}, err: "nothing of /proc can"},
	} {
		t.Run(name, func(t *testing.T) {
			p := Policy{Network: Network{AllowUnixSockets: test.list}}
			got, err := p.WithAgent(test.env)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("%v, want %q", err, test.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got.Network.AllowUnixSockets, test.want) || !reflect.DeepEqual(got.EnvVars, test.forwarded) {
				t.Errorf("%q, forwarded %q, %v; want %q, %q", got.Network.AllowUnixSockets, got.EnvVars, err, test.want, test.forwarded)
			}
		})
	}
}

// TestSocketEntries: a path, or the one word; both before and after [Policy.Absolute].
func TestSocketEntries(t *testing.T) {
	for entry, want := range map[string]string{
		"/run/x": "/run/x", "x.sock": "/base/x.sock", "~/x": "/home/u/x", "-/run/x": "-/run/x",
		AgentSocket: AgentSocket, "-" + AgentSocket: "-" + AgentSocket,
		"$DOCKER_HOST": "", "$SSH_AUTH_SOCK/x": "", "unix:///run/x": "", "@abstract": "", "/dev/log": "", "": "",
	} {
		p, err := (Policy{Network: Network{AllowUnixSockets: []string{entry}}}).Absolute("/base", "/home/u")
		if want == "" {
			if err == nil && p.Validate() == nil {
				t.Errorf("%q passes", entry)
			}
			continue
		}
		if err == nil {
			err = p.Validate()
		}
		if err != nil || p.Network.AllowUnixSockets[0] != want {
			t.Errorf("%q: %q, %v", entry, p.Network.AllowUnixSockets, err)
		}
	}
}

// TestDaemonOf: daemons that act for whoever connects, by their usual paths.
func TestDaemonOf(t *testing.T) {
	for path, want := range map[string]string{
		"/var/run/docker.sock": "Docker", "-/run/user/1000/podman/podman.sock": "Podman", "/run/containerd/containerd.sock": "containerd",
		"/run/user/1000/bus": "the user's D-Bus", "/run/user/1000/systemd/private": "systemd", "/home/u/.docker/run/docker.sock": "Docker",
		"/run/user/1000/keyring/ssh": "", "/run/mydocker.socket": "", AgentSocket: "",
	} {
		if got := DaemonOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
