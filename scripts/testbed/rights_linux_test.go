package testbed

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// inNamespaces gives cmd every capability in user and mount namespaces of its own: the control for what needs one.
func inNamespaces(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = EveryRight(unix.CLONE_NEWNS)
	return cmd
}

// Rights: refused without them, granted with them, by the same act.
func TestProbeRights(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name    string
		refused *exec.Cmd
		granted *exec.Cmd
	}{
		{"may-mount", asNobody(probe(t, "may-mount")), inNamespaces(probe(t, "may-mount"))},
		{"mount", asNobody(probe(t, "mount", "/mnt")), inNamespaces(probe(t, "mount", dir))},
		{"setuid", asNobody(probe(t, "setuid", "1")), inNamespaces(probe(t, "setuid", "0"))},
		{"kill", asNobody(probe(t, "kill", "1")), probe(t, "kill", strconv.Itoa(os.Getpid()))},
	} {
		if r := one(t, c.refused); r.OK || r.Errno != "EPERM" {
			t.Errorf("%s without the right: %+v", c.name, r)
		}
		if r := one(t, c.granted); !r.OK {
			t.Errorf("%s with it: %+v", c.name, r)
		}
	}
}

// A user namespace: two ways, and no way once max_user_namespaces of the one around is 0, as in the sandbox.
func TestProbeUserNamespace(t *testing.T) {
	for _, way := range []string{"clone", "unshare"} {
		if r := one(t, probe(t, "userns", way)); !r.OK {
			t.Errorf("%s: %+v", way, r)
		}
		all := Attempts(t, inNamespaces(probe(t, "write", "/proc/sys/user/max_user_namespaces", "0", "--", "userns", way)))
		if len(all) != 2 || !all[0].OK || all[1].OK || all[1].Errno != "ENOSPC" {
			t.Errorf("%s, none allowed: %+v", way, all)
		}
	}
}

func TestProbePtrace(t *testing.T) {
	target := probe(t, "sleep", "30s")
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		target.Process.Kill()
		target.Wait()
	}()
	pid := strconv.Itoa(target.Process.Pid)
	if os.Geteuid() == 0 { // for another uid Yama may refuse a process that is no child
		if r := one(t, probe(t, "ptrace", pid)); !r.OK {
			t.Errorf("own: %+v", r)
		}
	}
	if r := one(t, asNobody(probe(t, "ptrace", "1"))); r.OK || r.Errno != "EPERM" {
		t.Errorf("pid 1: %+v", r)
	}
}
