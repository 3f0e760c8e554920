package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// S6 and S12 in confinement reduced: a server sees names of processes, and has none of serve's files, environment,
// descriptors and ports; it ends serve by no signal, nor another principal's server.
func TestReduced(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root's server is another user there, and reads no file of the test's")
	}
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", noClone, "--token-file", file)
	ann := s.session(headers[0])
	pid := s.field("sandbox started", "pid")
	bob := s.session(headers[1])
	if got := s.field("sandbox started", "confinement"); got != "reduced" {
		t.Fatalf("confinement %v", got)
	}
	ann.post(call("1", "sh", "echo here >~/mine; cat ~/mine", 0)).want(t, 200, "here")
	serve := s.cmd.Process.Pid
	abi, err := platform.LandlockABI()
	if err != nil {
		t.Fatal(err)
	}
	bob.post(call("2", "sh", "ls /proc/self/fd", 0)).want(t, 200, `0\n1\n2\n3\n`)
	bob.post(call("3", "sh", fmt.Sprintf("cat /proc/%d/comm", serve), 0)).want(t, 200, "nil") // a positive control
	for _, try := range []string{"cat " + file, fmt.Sprintf("cat /proc/%d/environ", serve), "cat ~/mine",
		fmt.Sprintf("readlink /proc/%d/fd/2", serve), fmt.Sprintf("cat /proc/%v/environ", pid), fmt.Sprintf("kill -TERM %d", serve),
		"exec 3<>/dev/tcp/" + strings.Replace(s.addr(), ":", "/", 1), fmt.Sprintf("kill -KILL %v", pid)} {
		if strings.HasPrefix(try, "kill -KILL") && abi < 6 {
			return // as docs/SECURITY.md says
		}
		a := bob.post(call("1", "sh", "bash -c '"+try+"' || exit 9", 0)).want(t, 200)
		if !strings.Contains(a.text, "exit status 9") {
			t.Errorf("%s: %s", try, a.text)
		}
	}
	ann.post(call("1", "echo", "", 0)).want(t, 200)
}
