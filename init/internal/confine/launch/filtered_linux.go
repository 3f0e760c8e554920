package launch

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/trialcalls"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// callsOfFull are the system calls that only confinement full makes and needs.
var callsOfFull = []uintptr{unix.SYS_OPENAT2, unix.SYS_OPEN_TREE, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_MOVE_MOUNT, unix.SYS_PIVOT_ROOT, unix.SYS_UMOUNT2, unix.SYS_UNSHARE}

// callsOfLandlock are the calls that reduced needs.
var callsOfLandlock = []uintptr{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE,
	unix.SYS_LANDLOCK_RESTRICT_SELF}

// callsOfSockets are made in every confinement: for the messages of the launch, and to probe the standard
// descriptors.
var callsOfSockets = []uintptr{unix.SYS_SOCKETPAIR, unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_SOCKET,
	unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_RECVFROM, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_GETPEERNAME, unix.SYS_SHUTDOWN}

// CheckSockets is an error if a filter around this process answers one of the calls of sockets with SIGSYS. The thread
// must be locked.
func CheckSockets() error {
	_, err := findDeadly(callsOfSockets)
	return err
}

// findDeadly finds out which calls a filter around the launcher answers with SIGSYS, before this process makes one of
// these calls. Without a filter (prctl(2)) nothing is tried. The error names a call that every launch needs.
func findDeadly(calls []uintptr) (deadly []uintptr, err error) {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || mode == 0 {
		return nil, nil
	}
	deadly, _ = trialcalls.Deadly(calls)
	return deadly, refusedCall(deadly, order.Exec, callsOfSockets)
}

// refusedCall is an error if one of calls is deadly.
func refusedCall(deadly []uintptr, l order.Layer, calls []uintptr) error {
	for _, nr := range calls {
		if slices.Contains(deadly, nr) {
			return &order.Refusal{Layer: l, Op: seccomp.Name(uint32(nr)), Err: killedBy(unix.SIGSYS)}
		}
	}
	return nil
}

// DeadlyCalls are the calls of a launch that a filter around the launcher answers with SIGSYS. DeadlyCalls has to run
// before this process makes one of these calls. The error names a call that every launch needs.
func DeadlyCalls() (deadly []uintptr, err error) {
	others := []uintptr{unix.SYS_SECCOMP, unix.SYS_KEYCTL}
	deadly, err = findDeadly(slices.Concat(callsOfSockets, callsOfFull, callsOfLandlock, others))
	if slices.ContainsFunc(callsOfLandlock, func(nr uintptr) bool { return slices.Contains(deadly, nr) }) {
		deadly = append(deadly, callsOfLandlock...) // all three are needed
	}
	return deadly, err
}

// checkDeadly is an error if the confinement needs a call that is answered with SIGSYS.
func (a *Attempt) checkDeadly() (err error) {
	deadly, noFilter := a.Machine.Deadly, a.launch.Ladder.NoFilter
	switch a.Confinement {
	case policy.None:
		return nil
	case policy.Full:
		err = refusedCall(deadly, order.Root, callsOfFull)
	case policy.Reduced:
		err = refusedCall(deadly, order.Landlock, callsOfLandlock)
	}
	if err == nil && !noFilter {
		err = refusedCall(deadly, order.Seccomp, []uintptr{unix.SYS_SECCOMP})
	}
	return err
}

// killedBy is the error for a process of the launch that a signal killed.
func killedBy(sig unix.Signal) error { return diagnose.Killed{Signal: platform.SignalName(sig)} }
