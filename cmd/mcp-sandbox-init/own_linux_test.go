package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a server may write can hold its own policy, report and launcher: they are not its to change, or the next launch would
// be what it likes. A policy that came through a descriptor is a file as well.
func TestOwnFilesAreKept(t *testing.T) {
	for _, flag := range []string{"--policy", "--policy-fd"} {
		t.Run(flag, func(t *testing.T) {
			own := testbed.OwnFiles(t)
			files := []string{own.Program, own.Policy, own.Report}
			cmd := exec.Command(own.Program)
			cmd.Dir = own.Dir
			policy, report := open(t, own.Policy, os.O_RDONLY), open(t, own.Report, os.O_WRONLY)
			cmd.ExtraFiles = []*os.File{report, policy}
			source := []string{flag, own.Policy}
			if flag == "--policy-fd" {
				source[1] = "4"
			}
			cmd.Args = append(append([]string{"mcp-sandbox-init", "--report-fd", "3"}, source...), "--")
			cmd.Args = append(cmd.Args, own.Spoil(files...)...)
			out, err := cmd.Output()
			check(t, err)
			text, err := os.ReadFile(own.Report)
			check(t, err)
			enforced, _, _ := strings.Cut(string(text), "\n")
			own.Kept(t, string(out), enforced, files...)
		})
	}
}
