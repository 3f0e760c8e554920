package escape_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A mount below a read grant is read-only with it. The host of this test is a mount namespace of its own, where the
// control writes to that mount first.
func submount(t *testing.T, l level) {
	if !root() {
		t.Skip("the launcher has to be in a mount namespace of another's making: only as root")
	}
	s := stage(t)
	const script = `set -e; cd "$0"; mkdir -p read/sub; mount -t tmpfs none read/sub
		echo control >read/sub/file; chmod 777 read/sub; chmod 666 read/sub/file; exec "$@"`
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acts := strings.Fields(s.put("read S/read/sub/file -- append S/read/sub/file -- write S/read/sub/new"))
	launcher := host.Launch{Policy: s.policy(l), Command: append([]string{testbed.Self(t, adversaryName)}, acts...)}
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, s.dir, self}, launcher.Args(t)...)...)
	cmd.Env = []string{"HOME=" + s.dir + "/home", "PATH=/usr/bin:/bin:/sbin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // makes the propagation private, too
	text, err := cmd.Output()
	all := results(t, string(text))
	if err != nil || len(all) != 3 {
		t.Fatalf("%v, %q", err, text)
	}
	if all[0].Detail != "control\n" {
		t.Errorf("the mount is not there: %+v", all[0])
	}
	for _, r := range all[1:] {
		if r.OK || r.Errno != "EROFS" {
			t.Errorf("%+v, want EROFS", r)
		}
	}
}
