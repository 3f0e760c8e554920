package supervise

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/filter"
	"github.com/security-mcp/mcp-sandbox/init/internal/tries"
	"github.com/security-mcp/mcp-sandbox/init/order"
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

// findDeadly finds out which calls a filter around the launcher answers with SIGSYS, before this process makes one of them. It
// is looked for only where there is a filter; prctl(2).
func (s *shim) findDeadly() {
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || mode == 0 {
		return
	}
	calls := append(append(doFull(), doLandlock()...), unix.SYS_SECCOMP, unix.SYS_KEYCTL)
	s.machine.Deadly, _ = tries.Deadly(calls)
	for _, nr := range doLandlock() { // one of them is as good as all
		if s.machine.Kills(nr) {
			s.machine.Deadly = append(s.machine.Deadly, doLandlock()...)
			return
		}
	}
}

// survivable is an error if the rung takes a call that nobody here survives.
func (s *shim) survivable() error {
	refused := func(l order.Layer, calls ...uintptr) error {
		for _, nr := range calls {
			if s.machine.Kills(nr) {
				return &order.Refusal{Layer: l, Op: filter.Name(uint32(nr)), Err: killedBy{unix.SIGSYS}}
			}
		}
		return nil
	}
	var err error
	if s.rung == policy.Full {
		err = refused(order.Root, doFull()...)
	}
	if err == nil && s.rung == policy.Reduced {
		err = refused(order.Landlock, doLandlock()...)
	}
	if err == nil && s.rung != policy.None && !s.noFilter {
		err = refused(order.Seccomp, unix.SYS_SECCOMP)
	}
	return err
}

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
