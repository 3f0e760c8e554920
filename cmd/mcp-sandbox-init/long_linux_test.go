package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A policy file of more than half of the longest length starts a server: what it becomes on the way to the shim is longer.
func TestLongPolicyFile(t *testing.T) {
	self, err := os.Executable()
	check(t, err)
	doc := `{"version":1,"envVars":["A"` + strings.Repeat(`,"A"`, 150_000) + "]}"
	file := filepath.Join(t.TempDir(), "policy.json")
	check(t, os.WriteFile(file, []byte(doc), 0o644))
	cmd := exec.Command(self, "--policy", file, "--", "echo", "ran")
	cmd.Args[0], cmd.Dir = "mcp-sandbox-init", filepath.Dir(file)
	if out, err := cmd.Output(); err != nil || string(out) != "ran\n" {
		t.Errorf("a policy of %d bytes: %v, %.200q", len(doc), err, out)
	}
}
