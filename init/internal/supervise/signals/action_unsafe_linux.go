package signals

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// action is the kernel's struct sigaction, the same on amd64 and arm64; rt_sigaction(2).
type action struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const (
	ignored    = 1          // SIG_IGN
	onStack    = 0x08000000 // SA_ONSTACK: Go's threads have small stacks
	restart    = 0x10000000 // SA_RESTART
	hasRestore = 0x04000000 // SA_RESTORER
)

// entry returns the addresses of the handler and of the code that returns from it.
func entry() (handler, restorer uintptr)

// catch installs the handler. An ignored signal stays ignored, unless ignoredToo is set.
func catch(s unix.Signal, ignoredToo bool) error {
	var old, now action
	if err := sigaction(s, nil, &old); err != nil || old.handler == ignored && !ignoredToo {
		return err
	}
	now.handler, now.restorer = entry()
	now.flags = onStack | restart
	if now.restorer != 0 {
		now.flags |= hasRestore
	}
	return sigaction(s, &now, nil)
}

func sigaction(s unix.Signal, now, old *action) error {
	_, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(now)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}
