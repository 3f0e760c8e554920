package limitsonly

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// bytesUnread is FIONREAD of sys/filio.h.
const bytesUnread = 0x4004667f

// hungUp waits until the other end of a pipe or socket is closed, for so many milliseconds, or for ever if
// negative; kqueue(2), EV_EOF.
func hungUp(fd, milliseconds int) (bool, error) {
	e := unix.Kevent_t{Ident: uint64(fd), Filter: unix.EVFILT_READ, Flags: unix.EV_ADD | unix.EV_CLEAR}
	got, err := await(e, milliseconds, func(flags uint16) bool { return flags&unix.EV_EOF != 0 })
	return err == nil && got, err
}

// waitProcess waits for the end of a process, and returns false if that is impossible; kqueue(2), NOTE_EXIT.
func waitProcess(pid int) bool {
	e := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
	got, err := await(e, -1, func(uint16) bool { return true })
	return err == unix.ESRCH || err == nil && got
}

// await waits for an event with such flags, for so many milliseconds at most: then the first event ends the wait. One
// queue sees an event that stays, as bytes that are not read, once.
func await(e unix.Kevent_t, milliseconds int, is func(flags uint16) bool) (bool, error) {
	syscall.ForkLock.RLock()
	kq, err := unix.Kqueue()
	if err == nil {
		unix.CloseOnExec(kq)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return false, err
	}
	defer unix.Close(kq)
	var limit *unix.Timespec
	if milliseconds >= 0 {
		t := unix.NsecToTimespec(int64(milliseconds) * 1e6)
		limit = &t
	}
	changes, events := []unix.Kevent_t{e}, make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(kq, changes, events, limit)
		switch {
		case err == unix.EINTR:
		case err != nil || n == 0:
			return false, err
		case events[0].Flags&unix.EV_ERROR != 0:
			return false, unix.Errno(events[0].Data)
		case is(events[0].Flags):
			return true, nil
		case limit != nil:
			return false, nil
		default:
			changes = nil
		}
	}
}

// rssUnit is the unit of ru_maxrss in bytes; getrusage(2).
const rssUnit = 1

// userProcesses counts the processes of a user, as RLIMIT_NPROC does.
func userProcesses(uid int) (int, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.ruid", uid)
	return len(list), err
}
