package limitsonly

import "golang.org/x/sys/unix"

// bytesUnread is FIONREAD of sys/filio.h.
const bytesUnread = 0x4004667f

// hungUp waits until the other end of a pipe or socket is closed, for so many milliseconds, or for ever if
// negative; kqueue(2), EV_EOF.
func hungUp(fd, milliseconds int) (bool, error) {
	e := unix.Kevent_t{Ident: uint64(fd), Filter: unix.EVFILT_READ, Flags: unix.EV_ADD | unix.EV_CLEAR}
	for {
		got, err := await(e, milliseconds)
		if err != nil || got == nil || got.Flags&unix.EV_EOF != 0 {
			return got != nil && err == nil, err
		}
		if milliseconds >= 0 {
			return false, nil
		}
	}
}

// waitProcess waits for the end of a process, and returns false if that is impossible; kqueue(2), NOTE_EXIT.
func waitProcess(pid int) bool {
	e := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
	got, err := await(e, -1)
	return err == unix.ESRCH || err == nil && got != nil
}

// await waits for one event, and returns nil when the time is over.
func await(e unix.Kevent_t, milliseconds int) (*unix.Kevent_t, error) {
	kq, err := unix.Kqueue()
	if err != nil {
		return nil, err
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)
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
			continue
		case err != nil || n == 0:
			return nil, err
		case events[0].Flags&unix.EV_ERROR != 0:
			return nil, unix.Errno(events[0].Data)
		}
		return &events[0], nil
	}
}

// rssUnit is the unit of ru_maxrss in bytes; getrusage(2).
const rssUnit = 1

// userProcesses counts the processes of a user, as RLIMIT_NPROC does.
func userProcesses(uid int) (int, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.ruid", uid)
	return len(list), err
}
