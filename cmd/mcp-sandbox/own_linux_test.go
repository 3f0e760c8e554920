package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a server may write can hold its own policy, report and launcher: they are not its to change, or the next launch would
// be what it likes.
func TestOwnFilesAreKept(t *testing.T) {
	own := testbed.OwnFiles(t)
	files := []string{own.Program, own.Policy, own.Report}
	cmd := exec.Command(own.Program)
	cmd.Args = append([]string{"mcp-sandbox", "run", "--policy", own.Policy, "--report", own.Report, "--"}, own.Spoil(files...)...)
	cmd.Dir = own.Dir
	out, err := cmd.Output()
	if err != nil {
		t.Error(err)
	}
	report, _ := os.ReadFile(own.Report)
	enforced, _, _ := strings.Cut(string(report), "\n")
	own.Kept(t, string(out), enforced, files...)
}

// A policy that another user can change is told, and one that only this user can is not.
func TestPolicyOfOthers(t *testing.T) {
	folder := testbed.Folder(t)
	file := filepath.Join(folder, "p.json")
	fine(t, os.WriteFile(file, []byte(`{"version": 1}`), 0o644))
	fine(t, os.Chmod(folder, 0o755))
	said := func() string {
		cmd := exec.Command("mcp-sandbox", "plan", "--policy", "p.json", "--", "true")
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := said(); strings.Contains(out, "not yours alone") {
		t.Error(out)
	}
	fine(t, os.Chmod(file, 0o666))
	if out := said(); !strings.Contains(out, "mcp-sandbox: --policy is not yours alone: "+file+": others may write to this file") {
		t.Error(out)
	}
	fine(t, os.Chmod(file, 0o644))
	if os.Geteuid() != 0 {
		return
	}
	fine(t, os.Chown(folder, 4711, 4711))
	if out := said(); !strings.Contains(out, "not yours alone: "+folder+"/: user 4711 owns this folder and could put another") {
		t.Error(out)
	}
}
