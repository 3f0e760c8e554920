package noshim

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// noexec is the role of root in a pid namespace, who forbids memory files to be executed there and starts a host.
const noexec = "noshim.test memfd_noexec"

func forbidMemfds([]string) int {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("proc", "/proc", "proc", 0, "")
	}
	if err == nil {
		err = os.WriteFile("/proc/sys/vm/memfd_noexec", []byte("2"), 0)
	}
	if err != nil {
		fmt.Println("prepare:", err)
		return 1
	}
	host := testbed.As(aHost, "plain")
	host.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: testbed.Ordinary, Gid: testbed.Ordinary}}
	host.Stdout, host.Stderr = os.Stdout, os.Stderr
	if err = host.Run(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// A machine with vm.memfd_noexec=2 executes no memory file: the parent is a file without a name then.
func TestHostWithoutExecutableMemfds(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root forbids that, in a pid namespace")
	}
	cmd := testbed.As(noexec)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	code, out, errs := testbed.Finish(t, cmd)
	if strings.Contains(out, "memfd_noexec: no such file") {
		t.Skip(out) // before Linux 6.3
	}
	if code != 0 || out != "done\n" {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}
