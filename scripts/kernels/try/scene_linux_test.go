package try

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A scene is what all launches of a row have: a policy, and a file that it does not grant.
type scene struct {
	*matrix.Expectation
	policy, secret, probe   string
	launcher, host, program string // mcp-sandbox-init, this binary, mcp-sandbox
}

// newScene makes the files that every uid can read, and sees that the secret can be read where nothing denies it.
func newScene(t *testing.T, e *matrix.Expectation) *scene {
	folder, err := os.MkdirTemp("/var/tmp", "scene-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{Expectation: e, policy: filepath.Join(folder, "policy.json"), secret: filepath.Join(folder, "secret"),
		probe: testbed.Program(t, "probe"), launcher: testbed.Command(t, "mcp-sandbox-init"), host: self,
		program: testbed.Command(t, "mcp-sandbox")}
	policy, err := json.Marshal(map[string]any{"version": 1, "limits": limits(),
		"filesystem": map[string]any{"allowRead": []string{s.probe}}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{s.policy: string(policy), s.secret: "secret\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if all := testbed.Attempts(t, exec.Command(s.probe, "read", s.secret)); len(all) != 1 || !all[0].OK {
		t.Fatalf("outside of a sandbox the secret cannot be read either: %+v", all)
	}
	return s
}

// The names of the two ways to launch.
const byProgram, byLibrary = "mcp-sandbox-init", "library"

// ways has the server wait for a line, so that it can be looked at, and then try to read the secret.
func (s *scene) ways() map[string][]string {
	server := []string{"/bin/sh", "-c", `read line && exec "$0" read "$1"`, s.probe, s.secret}
	return map[string][]string{
		byProgram: append([]string{s.launcher, "--policy", s.policy, "--report-fd", "3", "--"}, server...),
		byLibrary: append([]string{s.host, asHost, s.policy}, server...),
	}
}
