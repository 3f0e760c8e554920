package proctree

import "golang.org/x/sys/unix"

// forks waits until one of some processes forks: kqueue(2), EVFILT_PROC. There is no NOTE_TRACK any more, so
// the children have to be looked for.
type forks struct{ kq int }

func newForks() forks {
	kq, err := unix.Kqueue()
	if err != nil {
		return forks{-1}
	}
	unix.CloseOnExec(kq)
	return forks{kq}
}

func (f forks) add(pids []int) {
	for _, pid := range pids {
		e := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_CLEAR,
			Fflags: unix.NOTE_FORK}
		unix.Kevent(f.kq, []unix.Kevent_t{e}, nil, nil) // ESRCH: the process has ended
	}
}

// next waits for a fork, and returns false once forks is closed.
func (f forks) next() bool {
	for {
		n, err := unix.Kevent(f.kq, nil, make([]unix.Kevent_t, 16), nil)
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}

func (f forks) close() {
	if f.kq > 0 {
		unix.Close(f.kq)
	}
}
