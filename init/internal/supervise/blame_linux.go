package supervise

import (
	"errors"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// machines reports whether a step is refused by the machine, whatever the policy names and whatever the errno: the layer
// names nothing of the policy, or the call is the first of its kind. What the policy names is never answered by less
// confinement: or a policy could choose less by a number, or by a path.
func machines(r *order.Refusal) bool {
	var struck killedBy
	if errors.As(r.Err, &struck) {
		return struck.sig == unix.SIGSYS
	}
	if errors.As(r.Err, new(noProc)) {
		return true
	}
	var errno syscall.Errno
	if !errors.As(r.Err, &errno) {
		return false
	}
	if inProc(r) {
		return true
	}
	switch r.Layer {
	case order.Namespaces, order.Network, order.Privileges:
		return true
	case order.Root, order.Cgroup, order.Landlock, order.Seccomp:
		return errors.As(r.Err, new(confine.Mechanism))
	}
	return false // the policy's limits, its command, its descriptors
}

// inProc reports whether the shim could not look at init's mounts. No policy names a path in /proc.
func inProc(r *order.Refusal) bool {
	return r.Layer == order.Root && strings.HasPrefix(r.Path, "/proc/") && strings.HasSuffix(r.Path, "/mountinfo")
}

// mechanism marks an error that no path of the policy can be the cause of.
func mechanism(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return confine.Mechanism{Errno: errno}
	}
	return err
}

// killedBy is a process of the launch that ended by a signal, before the server was released.
type killedBy struct{ sig unix.Signal }

func (k killedBy) Error() string {
	name := unix.SignalName(k.sig)
	if k.sig == unix.SIGSYS {
		return "killed by " + name + ": a filter around the launcher does so to whoever makes this call"
	}
	return "killed by " + name
}
