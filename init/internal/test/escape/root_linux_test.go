package escape_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// onlyRoot: a server of the machine's user 0 owns /proc/sys. That happens where a root's namespace has no other id; and
// where the kernel has no Landlock the mounts alone keep it from having the host's root run a program of its choice.
func onlyRoot(t *testing.T, l level) {
	if !root() {
		t.Skip("only root can be it")
	}
	s := stage(t)
	act := call(unix.SYS_OPENAT, "-100 s:/proc/sys/kernel/core_pattern 1")
	attr := &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}},
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []struct {
		name   string
		cmd    *exec.Cmd
		errnos string
	}{
		{"inside, with Landlock", s.acting(t, l, act), "EACCES EROFS"},
		{"inside, without", exec.Command(self, append([]string{withoutLandlock, self}, s.acting(t, l, act).Args...)...), "EROFS"},
		{"outside", exec.Command(testbed.Self(t, adversaryName), strings.Fields(act)...), ""},
	} {
		way.cmd.Env = []string{"HOME=" + s.dir + "/home", "PATH=/usr/bin:/bin"}
		way.cmd.SysProcAttr = attr
		text, err := way.cmd.Output()
		all := results(t, string(text))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %q", way.name, err, text)
		}
		if all[0].OK != (way.errnos == "") || !all[0].OK && !strings.Contains(way.errnos, all[0].Errno) {
			t.Errorf("%s: %+v, want %q", way.name, all[0], way.errnos)
		}
	}
	gap := s.acting(t, l, call(unix.SYS_OPENAT, "-100 s:/proc/slabinfo 0"))
	gap.SysProcAttr = attr
	if got := told(t, gap); strings.Contains(got, "denied") {
		t.Errorf("no longer a gap: %s", got)
	}
}

// withoutLandlock is an argument with which this binary executes what follows on a machine whose kernel, as far as it
// can tell, has no Landlock.
const withoutLandlock = "without-landlock"

// execWithoutLandlock loads a filter in which landlock_create_ruleset and its two neighbours are ENOSYS; seccomp(2).
func execWithoutLandlock(argv []string) int {
	filter := []unix.SockFilter{
		{Code: 0x20}, // the number
		{Code: 0x35, Jf: 2, K: unix.SYS_LANDLOCK_CREATE_RULESET},
		{Code: 0x35, Jt: 1, K: unix.SYS_LANDLOCK_RESTRICT_SELF + 1},
		{Code: 0x06, K: 0x00050000 | uint32(unix.ENOSYS)},
		{Code: 0x06, K: 0x7fff0000},
	}
	err := install(filter)
	if err == nil {
		err = unix.Exec(argv[0], argv[1:], os.Environ())
	}
	println(err.Error())
	return testbed.WrongRole
}
