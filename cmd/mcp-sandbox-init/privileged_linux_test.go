package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// With rights of root's the policy would choose which user the server is, and which of anybody's files it sees.
func TestPrivileged(t *testing.T) {
	copies := testbed.Privileged(t)
	dir := testbed.Folder(t)
	secret, policy := filepath.Join(dir, "secret"), filepath.Join(dir, "policy.json")
	check(t, os.WriteFile(secret, []byte("root's\n"), 0o600))
	check(t, os.WriteFile(policy, []byte(`{"version":1,"user":"33:33"}`), 0o644))
	as := func(binary string, args ...string) *exec.Cmd {
		cmd := exec.Command(binary)
		cmd.Args, cmd.Dir = append([]string{"mcp-sandbox-init"}, args...), "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testbed.Ordinary, Gid: testbed.Ordinary}}
		return cmd
	}
	out, err := as(testbed.Copy(t, 0o755), "--", "/bin/echo", "ran").Output()
	if err != nil || string(out) != "ran\n" {
		t.Fatalf("without rights: %v %q", err, out)
	}
	for name, binary := range copies {
		for _, args := range []string{"", "--version", "--help", "--nonsense", "-- /bin/echo ran", "--policy " + policy + " -- /bin/echo ran",
			"--policy " + secret + " -- /bin/echo ran", "--policy-fd 3 -- /bin/echo ran", "--report-fd 3 -- /bin/echo ran"} {
			t.Run(name+" "+args, func(t *testing.T) {
				r, w, err := os.Pipe()
				check(t, err)
				var stdout, stderr bytes.Buffer
				cmd := as(binary, strings.Fields(args)...)
				cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, []*os.File{w}
				report := collect(r)
				cmd.Run()
				w.Close()
				said := stderr.String()
				if cmd.ProcessState.ExitCode() != 125 || stdout.Len() > 0 || strings.Count(said, "\n") != 1 ||
					!strings.HasPrefix(said, "mcp-sandbox: refused: ") || !strings.Contains(said, "rights") {
					t.Errorf("%v, said %q\n%s", cmd.ProcessState, stdout.String(), said)
				}
				if text := <-report; text != "" {
					t.Errorf("wrote %q to an open descriptor", text)
				}
			})
		}
	}
}
