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

// A program with rights of root's would read and write root's files for anybody, and start anything as anybody: it does
// nothing at all, whatever it is asked.
func TestPrivileged(t *testing.T) {
	copies := testbed.Privileged(t)
	dir := testbed.Folder(t)
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("root's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := testbed.Copy(t, 0o755)
	plain := as(own, "--version")
	if out, err := plain.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "mcp-sandbox ") {
		t.Fatalf("without rights: %v %q", err, out)
	}
	for name, binary := range copies {
		for _, args := range []string{
			"", "--version", "--help", "doctor", "nonsense", "policy schema", "policy check " + secret, "policy show " + secret,
			"policy explain " + secret, "run --report " + secret + " -- /bin/echo ran", "run --report " + secret, "run --nonsense --report " + secret,
			"run --policy " + secret + " -- /bin/echo ran", "run --user 33:33 -- /bin/echo ran",
			"run --level privileged -- /bin/echo ran", "plan --policy " + secret + " -- /bin/true",
		} {
			t.Run(name+" "+args, func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				cmd := as(binary, strings.Fields(args)...)
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				cmd.Run()
				said := stderr.String()
				if cmd.ProcessState.ExitCode() != 125 || stdout.Len() > 0 || strings.Count(said, "\n") != 1 ||
					!strings.HasPrefix(said, "mcp-sandbox: refused: ") || !strings.Contains(said, "rights") {
					t.Errorf("%v, said %q\n%s", cmd.ProcessState, stdout.String(), said)
				}
				if b, err := os.ReadFile(secret); err != nil || string(b) != "root's\n" {
					t.Errorf("root's file is %q, %v", b, err)
				}
			})
		}
	}
}

// as is this program, started from that file by an ordinary user.
func as(binary string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary)
	cmd.Args, cmd.Dir = append([]string{"mcp-sandbox"}, args...), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testbed.Ordinary, Gid: testbed.Ordinary}}
	return cmd
}
