package supervise

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// What a Go host remembers for good: not a limit that others have used up, which may be free again at the next launch, and
// nothing that another policy would not meet.
func TestLasting(t *testing.T) {
	for _, c := range []struct {
		layer order.Layer
		errno unix.Errno
		want  bool
	}{
		{order.Namespaces, unix.EPERM, true},
		{order.Root, unix.EACCES, true},
		{order.Landlock, unix.ENOSYS, true},
		{order.Namespaces, unix.ENOSPC, forbiddenHere(t)},
		{order.Root, unix.ENOSPC, false},
		{order.Namespaces, unix.EUSERS, false},
		{order.Seccomp, unix.EPERM, false},
		{order.Policy, unix.EPERM, false},
	} {
		if got := lasting(&order.Refusal{Layer: c.layer, Op: "clone", Err: c.errno}); got != c.want {
			t.Errorf("%s, %v: %v", c.layer, c.errno, got)
		}
	}
}

// forbiddenHere reports whether one of the limits of namespaces is 0 on this very machine.
func forbiddenHere(t *testing.T) bool {
	t.Helper()
	for _, kind := range []string{"user", "mnt", "pid", "ipc", "uts", "cgroup", "net"} {
		b, err := os.ReadFile("/proc/sys/user/max_" + kind + "_namespaces")
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(b)) == "0" {
			return true
		}
	}
	return false
}
