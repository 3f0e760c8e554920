package escape_test

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// ownerSignal: a descriptor whose owner is a process of the host has the kernel send that SIGKILL when something can be
// read from it; fcntl(2). The same user's processes may be owners.
func ownerSignal(t *testing.T, l level) {
	s := stage(t)
	program := testbed.Self(t, adversaryName)
	for _, inside := range []bool{true, false} {
		target := exec.Command(program, "sleep", "1h")
		if err := target.Start(); err != nil {
			t.Fatal(err)
		}
		act := "owner " + strconv.Itoa(target.Process.Pid)
		if inside {
			launch(t, s, l, append([]string{program}, strings.Fields(act)...)...)
		} else {
			s.outside(t, program, false, act)
		}
		spared := testbed.Spared(t, target.Process.Pid)
		target.Process.Signal(syscall.SIGTERM)
		target.Wait()
		status := target.ProcessState.Sys().(syscall.WaitStatus)
		if spared != inside || (status.Signal() == syscall.SIGKILL) == inside {
			t.Errorf("inside %v: the host's process: %v", inside, target.ProcessState)
		}
	}
}
