package basic

import (
	"golang.org/x/sys/unix"
)

// rssUnit is the unit of ru_maxrss; getrusage(2).
const rssUnit = 1

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// processes is the table of all processes; sysctl(3), KERN_PROC_ALL.
func processes() ([]process, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	table := make([]process, len(list))
	for i := range list {
		p := &list[i]
		table[i] = process{pid: int(p.Proc.P_pid), parent: int(p.Eproc.Ppid), dead: p.Proc.P_stat == zombie,
			born: int64(p.Proc.P_starttime.Sec)*1e6 + int64(p.Proc.P_starttime.Usec)}
	}
	return table, nil
}

// processesOf counts the processes of a user, as RLIMIT_NPROC does.
func processesOf(uid int) (int, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.ruid", uid)
	return len(list), err
}

// forks tells when one of some processes forks: kqueue(2), EVFILT_PROC. There is no NOTE_TRACK any more, so the children
// have to be looked for.
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
		e := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_CLEAR, Fflags: unix.NOTE_FORK}
		unix.Kevent(f.kq, []unix.Kevent_t{e}, nil, nil) // ESRCH: it has ended
	}
}

// next waits for a fork. It is false when nobody will tell any more.
func (f forks) next() bool {
	for {
		n, err := unix.Kevent(f.kq, nil, make([]unix.Kevent_t, 16), nil)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n > 0
	}
}

func (f forks) close() {
	if f.kq > 0 {
		unix.Close(f.kq)
	}
}

// kernel is the release of the kernel, as "24.5.0".
func kernel() string {
	s, err := unix.Sysctl("kern.osrelease")
	if err != nil {
		return ""
	}
	return s
}
