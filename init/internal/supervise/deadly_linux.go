package supervise

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/internal/tries"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// doFull are the calls that full cannot do without and no other confinement makes.
func doFull() []uintptr {
	return []uintptr{unix.SYS_OPENAT2, unix.SYS_OPEN_TREE, unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_PIVOT_ROOT, unix.SYS_UMOUNT2, unix.SYS_UNSHARE}
}

// doLandlock are Landlock's.
func doLandlock() []uintptr {
	return []uintptr{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF}
}

// doAlways are the calls of sockets that a launch takes, in whatever confinement: its processes speak by some, and find out by
// others what there is.
func doAlways() []uintptr {
	return []uintptr{unix.SYS_SOCKETPAIR, unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_SENDTO, unix.SYS_RECVFROM,
		unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT, unix.SYS_GETPEERNAME, unix.SYS_SHUTDOWN}
}

// Sockets is the refusal of a process that starts a shim, where a filter around it ends whoever makes one of the calls of
// sockets. The thread must be locked.
func Sockets() *order.Refused {
	_, err := findDeadly(doAlways())
	if err == nil {
		return nil
	}
	r := order.NewRefused(err)
	r.Hint = diagnose.NeedsSockets
	return r
}

// findDeadly finds out which calls a filter around the launcher answers with SIGSYS, before this process makes one of them. It
// is looked for only where there is a filter; prctl(2). The error is one of a call that no launch can do without.
func findDeadly(calls []uintptr) (deadly []uintptr, err error) {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || mode == 0 {
		return nil, nil
	}
	deadly, _ = tries.Deadly(calls)
	if slices.Contains(deadly, unix.SYS_SENDMSG) {
		platform.WithoutSendmsg() // or nobody would hear of it
	}
	return deadly, refusedCall(deadly, order.Exec, doAlways())
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

// findDeadly is the same for all calls of a launch.
func (s *shim) findDeadly() (err error) {
	calls := append(append(append(doAlways(), doFull()...), doLandlock()...), unix.SYS_SECCOMP, unix.SYS_KEYCTL)
	s.machine.Deadly, err = findDeadly(calls)
	for _, nr := range doLandlock() { // one of them is as good as all
		if s.machine.Kills(nr) {
			s.machine.Deadly = append(s.machine.Deadly, doLandlock()...)
			break
		}
	}
	return err
}

// survivable is an error if the rung takes a call that nobody here survives.
func (s *shim) survivable() error {
	var err error
	if s.rung == policy.Full {
		err = refusedCall(s.machine.Deadly, order.Root, doFull())
	}
	if err == nil && s.rung == policy.Reduced {
		err = refusedCall(s.machine.Deadly, order.Landlock, doLandlock())
	}
	if err == nil && s.rung != policy.None && !s.noFilter {
		err = refusedCall(s.machine.Deadly, order.Seccomp, []uintptr{unix.SYS_SECCOMP})
	}
	return err
}

// killedBy is the error of a process of the launch that a signal ended.
func killedBy(sig unix.Signal) error { return diagnose.Killed{Signal: platform.SignalName(sig)} }

// struck is the signal that ended a process of the attempt, if one did: init's own, or what init saw of the server's.
func (s *shim) struck() unix.Signal {
	if s.initFD < 0 {
		return 0
	}
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}, int(forInit.Milliseconds())); n <= 0 || err != nil {
		return 0
	}
	st, _, err := wait(s.init)
	if err != nil {
		return 0
	}
	s.init = 0 // reaped
	if st.Signaled() {
		return st.Signal()
	}
	if status, reaped := s.launch.Ended(); reaped && unix.WaitStatus(status).Signaled() {
		return unix.WaitStatus(status).Signal()
	}
	return 0
}
