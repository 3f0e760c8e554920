package reexec

import (
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// hostOnce is a pidfd of the host of the launch that [Exec] makes; -1 where none is known. It is asked for once: when
// the host ends another process becomes the parent, and would be taken for the host.
var hostOnce = sync.OnceValue(parentFD)

// HostEnds is closed when the host has ended: the process that had started this one when HostEnds was called first. It
// is nil where none is known. A stopped process is woken for that.
var HostEnds = sync.OnceValue(func() <-chan struct{} {
	host := hostOnce()
	if host < 0 {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // the setting is this thread's; PR_SET_PDEATHSIG(2const)
		unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGCONT), 0, 0, 0)
		for fds := []unix.PollFd{{Fd: int32(host), Events: unix.POLLIN}}; fds[0].Revents == 0; {
			if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
				return
			}
		}
		close(ended)
	}()
	return ended
})

// handOver is the second argument of a shim by [Exec]: the descriptors of the order and, where there is one, of the
// host.
func handOver(order int) string {
	host := hostOnce()
	if host < 0 {
		return strconv.Itoa(order)
	}
	if _, err := unix.FcntlInt(uintptr(host), unix.F_SETFD, 0); err != nil {
		return strconv.Itoa(order)
	}
	return strconv.Itoa(order) + "," + strconv.Itoa(host)
}

// takeHost takes the host out of the arguments that handOver made. Without one it is the parent.
func takeHost(args []string) (rest []string, host int, err error) {
	if len(args) != 2 || args[0] != BySelf {
		return args, parentFD(), nil
	}
	order, handed, found := strings.Cut(args[1], ",")
	if !found {
		return args, parentFD(), nil
	}
	host, err = strconv.Atoi(handed)
	if err == nil && unix.PidfdSendSignal(host, 0, nil, 0) == unix.EBADF {
		err = errArguments
	}
	if err != nil {
		return nil, -1, errArguments
	}
	unix.CloseOnExec(host)
	return []string{BySelf, order}, host, nil
}
