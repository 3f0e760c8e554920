package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A path of a state reaches a terminal escaped, whatever name XDG_STATE_HOME gives the folder of all states.
func TestStatesAreListedEscaped(t *testing.T) {
	hostile := "a\x1b[2J\nb\u202e"
	below := testbed.Folder(t)
	home := filepath.Join(below, hostile)
	if err := os.Chmod(below, 0o700); err != nil { // others could put another state in place
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(home, "mcp-sandbox/state/kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = []string{"mcp-sandbox", "state", "list"}
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+home)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if text := string(out); err != nil || strings.Count(text, "\n") != 1 || !strings.Contains(text, `a\x1b[2J\nb\u202e/mcp-sandbox/state/kept`) {
		t.Errorf("%v: %q\n%s", err, text, &errs)
	}
}
