package places_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The Pod of docs/deployment.md, as far as a container runtime is concerned: its policy, its mounts, its user and
// rights. The server reads what it was granted and not the policy beside it, which the container alone would let it
// read.
func TestPod(t *testing.T) {
	h := newHouse(t)
	app, policies := testbed.Folder(t), testbed.Folder(t)
	for file, text := range map[string]string{app + "/index.js": "data", policies + "/policy.json": manifestPolicy(t)} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	volume := object{"destination": "/data", "type": "tmpfs", "source": "tmpfs", "options": []string{"mode=1777"}}
	pod := in(container{uid: 1000, restricted: true, mounts: []object{bind(h.bin, "/sandbox"), bind(policies, "/policy"), bind(app, "/app"), volume}})
	acts := []string{"/sandbox/probe", "--", "read", "/app/index.js", "--", "write", "/data/new", "--", "read", "/policy/policy.json", "--", "write", "/tmp/new"}
	run := func(words ...string) string {
		t.Helper()
		words = pod(h, append(words, acts...))
		cmd := exec.Command(words[0], words[1:]...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		var got []string
		for _, r := range results(string(out)) {
			if r.OK {
				r.Errno = "ok"
			}
			got = append(got, r.Errno)
		}
		return strings.Join(got, " ")
	}
	if got := run(); got != "ok ok ok ok" {
		t.Errorf("the container alone: %s", got)
	}
	if got := run("/sandbox/mcp-sandbox-init", "--policy", "/policy/policy.json", "--"); got != "ok ok EACCES EACCES" {
		t.Errorf("confined: %s", got)
	}
}

// manifestPolicy is policy.json of the manifest's ConfigMap.
func manifestPolicy(t *testing.T) string {
	t.Helper()
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "deployment.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "policy.json: |\n")
	doc, _, ended := strings.Cut(after, "---\n")
	if !ended {
		t.Fatal("the manifest has no policy.json")
	}
	return doc
}
