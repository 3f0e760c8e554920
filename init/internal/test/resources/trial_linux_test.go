package resources_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// A trial is one launch as its host sees it.
type trial struct{ *host.Run }

// start starts a launch in a place, as the user that the place is delegated to. Keys are those of a policy document.
func start(t *testing.T, at place, keys string, command ...string) *trial {
	t.Helper()
	return startTo(t, at, nil, keys, command...)
}

// startTo is start with a standard output of the test's, if it is not nil.
func startTo(t *testing.T, at place, stdout *os.File, keys string, command ...string) *trial {
	t.Helper()
	cmd := launcher(t, at, keys, command...)
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if at.dir != "" {
		group, err := os.Open(at.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer group.Close()
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(group.Fd())
	}
	return &trial{host.Hold(t, cmd)}
}

// launcher is one in a place that is not started yet.
func launcher(t *testing.T, at place, keys string, command ...string) *exec.Cmd {
	t.Helper()
	cmd := host.Launch{Policy: `{"version":1,` + keys + `}`, Command: command, Begin: at.begin}.Cmd(t)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if at.uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(at.uid), Gid: uint32(at.uid)}
	}
	if at.tmp != "" {
		cmd.Env = append(os.Environ(), "TMPDIR="+at.tmp)
	}
	return cmd
}
