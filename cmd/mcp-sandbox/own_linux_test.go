package main

import (
	"os"
	"os/exec"
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
