package noshim

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A state is what a launch could change of the process that its host is.
type state struct {
	Signals   [64][4]uint64 // struct sigaction of each
	Umask     string
	Status    string // the lines of proc_pid_status(5) that tell of rights and masks
	Subreaper int
	Death     int
	Dumpable  int
	Streams   [3]string
	Limits    [16]unix.Rlimit
	Dir       string
	Env       []string
	Session   int
	Nice      int
}

func look() (s state) {
	for i := range s.Signals {
		unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(i+1), 0, uintptr(unsafe.Pointer(&s.Signals[i])), 8, 0, 0)
	}
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		switch name, _, _ := strings.Cut(line, ":"); name {
		case "Umask", "Uid", "Gid", "Groups", "SigIgn", "SigCgt", "CapEff", "CapPrm", "CapAmb", "NoNewPrivs", "Seccomp",
			"NSpid", "Cpus_allowed":
			s.Status += line
		}
	}
	for what, to := range map[int]*int{unix.PR_GET_CHILD_SUBREAPER: &s.Subreaper, unix.PR_GET_PDEATHSIG: &s.Death} {
		var value int32
		_ = unix.Prctl(what, uintptr(unsafe.Pointer(&value)), 0, 0, 0)
		*to = int(value)
	}
	s.Dumpable, _ = unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	for fd := range s.Streams {
		var st unix.Stat_t
		flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		own, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		err := unix.Fstat(fd, &st)
		s.Streams[fd] = fmt.Sprint(st.Dev, st.Ino, flags, own, err)
	}
	for i := range s.Limits {
		_ = unix.Getrlimit(i, &s.Limits[i])
	}
	s.Dir, _ = os.Getwd()
	s.Env = os.Environ()
	s.Session, _ = unix.Getsid(0)
	s.Nice, _ = unix.Getpriority(unix.PRIO_PROCESS, 0)
	return s
}

// filtered gives the process a seccomp filter, which allows everything.
func filtered() error {
	runtime.LockOSThread() // no_new_privs is the thread's
	defer runtime.UnlockOSThread()
	all := [...]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	program := unix.SockFprog{Len: uint16(len(all)), Filter: &all[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
