package shim_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// agentID is the user of a root launcher's server: agents ask who connects.
const agentID = 65533

// TestRealAgents has the key of a real ssh-agent listed inside, and a real gpg-agent asked for its version.
func TestRealAgents(t *testing.T) {
	for _, c := range []struct {
		socket, inside, want string
		start                []string
	}{
		{"agent.sock", "ssh-add -l", "of-the-test (ED25519)", []string{"ssh-agent", "-D", "-a", "agent.sock"}},
		{"S.gpg-agent", `gpg-connect-agent -S "$SSH_AUTH_SOCK" "GETINFO version" /bye`, "OK\n",
			[]string{"gpg-agent", "--homedir", ".", "--daemon", "cat"}},
	} {
		t.Run(c.start[0], func(t *testing.T) {
			s := build(t, altered.Quiet)
			dir := s.Path("agent")
			as := asServer(t, dir)
			agent := as(c.start...)
			if _, err := agent.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			if err := agent.Start(); err != nil {
				testbed.Missing(t, c.start[0], "no "+c.start[0]+" can be started: "+err.Error())
			}
			t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
			testbed.Await(t, "the agent", func() bool {
				c, err := net.Dial("unix", dir+"/"+c.socket)
				if err == nil {
					c.Close()
				}
				return err == nil
			})
			if c.start[0] == "ssh-agent" {
				addKey(t, dir, as)
			}
			l := s.Launch(`{"version":1,"network":{"allowUnixSockets":["$SSH_AUTH_SOCK"]}}`, "mark")
			l.Env = append(l.Env, "SSH_AUTH_SOCK="+dir+"/"+c.socket)
			l.Command = []string{"/bin/sh", "-c", c.inside}
			if o := altered.Run(t, l); o.Code != 0 || !strings.HasSuffix(o.Stdout, c.want+"\n") && !strings.HasSuffix(o.Stdout, c.want) {
				t.Errorf("code %d, %q, want %q\n%s", o.Code, o.Stdout, c.want, o.Stderr)
			}
			l = s.Launch(`{"version":1,"envVars":["SSH_AUTH_SOCK"]}`, "mark")
			l.Env = append(l.Env, "SSH_AUTH_SOCK="+dir+"/"+c.socket)
			l.Command = []string{"/bin/sh", "-c", c.inside}
			if o := altered.Run(t, l); strings.Contains(o.Stdout, strings.TrimSpace(c.want)) {
				t.Errorf("the control: %q", o.Stdout)
			}
		})
	}
}

// addKey gives the agent a new key. ssh-keygen wants a user with a name.
func addKey(t *testing.T, dir string, as func(...string) *exec.Cmd) {
	t.Helper()
	key := dir + "/key"
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "of-the-test", "-f", key).CombinedOutput()
	if os.Geteuid() == 0 && err == nil {
		err = os.Chown(key, agentID, agentID)
	}
	if err == nil {
		out, err = as("ssh-add", "-q", key).CombinedOutput()
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// asServer makes a folder of the server's user, and commands of that user in it.
func asServer(t *testing.T, dir string) func(words ...string) *exec.Cmd {
	t.Helper()
	err := os.Mkdir(dir, 0o700)
	root := os.Geteuid() == 0
	if root && err == nil {
		err = os.Chown(dir, agentID, agentID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(words ...string) *exec.Cmd {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "SSH_AUTH_SOCK=" + dir + "/agent.sock"}
		if root {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: agentID, Gid: agentID}}
		}
		return cmd
	}
}
