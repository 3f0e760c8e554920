package supervise

import (
	"errors"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// tellLowered tells the host what its next launches need not try again. Nothing depends on its hearing it.
func (s *shim) tellLowered() {
	if s.Host < 0 || len(s.refused) == 0 {
		return
	}
	for _, r := range s.refused {
		if !lasting(r) {
			return
		}
	}
	s.sink.Tell(&order.Lowered{Event: "lowered", Confinement: string(s.rung), Why: s.why()})
}

// lasting reports whether a refusal is one of this machine's settings and not of the moment, nor of this policy: ENOSPC is
// also what a limit of namespaces says that others have used up.
func lasting(r *order.Refusal) bool {
	if errors.As(r.Err, new(noProc)) || errors.As(r.Err, new(killedBy)) {
		return true
	}
	var errno syscall.Errno
	if !errors.As(r.Err, &errno) || r.Layer != order.Namespaces && r.Layer != order.Network && r.Layer != order.Root && r.Layer != order.Landlock {
		return false
	}
	switch errno {
	case unix.EPERM, unix.EACCES, unix.ENOSYS, unix.EAFNOSUPPORT:
		return true
	case unix.ENOSPC:
		return r.Layer == order.Namespaces && forbidden()
	}
	return false
}

// forbidden reports whether a sysctl allows none of some kind of namespace; namespaces(7).
func forbidden() bool {
	for _, kind := range [...]string{"user", "mnt", "pid", "ipc", "uts", "net"} {
		b, err := platform.ReadSmall("/proc/sys/user/max_"+kind+"_namespaces", 64)
		if err == nil && strings.TrimSpace(string(b)) == "0" {
			return true
		}
	}
	return false
}
