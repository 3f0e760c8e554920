package attempt

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Posture is what a process can tell of its own confinement. Whatever could not be asked is in Errors and has its zero
// value, so no test can take a question that failed for a good answer.
type Posture struct {
	PID, PPID, PGID, SID int
	UIDs, GIDs           [3]int // real, effective, saved
	Groups               []int
	Caps                 Caps
	NoNewPrivs           int // PR_GET_NO_NEW_PRIVS
	Seccomp              int // PR_GET_SECCOMP: 0 off, 2 filter
	Dumpable             int
	Limits               map[string]Limit  // by name, "NOFILE"
	Namespaces           map[string]string // "pid": "pid:[4026531836]"
	Mounts               []string          // lines of mountinfo
	Umask                int
	Env                  []string // names
	Cwd                  string
	Interfaces           []string
	Errors               map[string]string
}

// Caps are the five sets as bits, capability 0 the lowest.
type Caps struct{ Effective, Permitted, Inheritable, Bounding, Ambient uint64 }

// A Limit is one of prlimit(2); the highest number is no limit.
type Limit struct{ Soft, Hard uint64 }

func posture(_ []string) (Result, error) {
	p := &Posture{PID: os.Getpid(), PPID: os.Getppid(), PGID: unix.Getpgrp(), Errors: map[string]string{}}
	p.SID, _ = unix.Getsid(0)
	p.UIDs[0], p.UIDs[1], p.UIDs[2] = unix.Getresuid()
	p.GIDs[0], p.GIDs[1], p.GIDs[2] = unix.Getresgid()
	var err error
	p.Groups, err = unix.Getgroups()
	p.note("groups", err)
	p.Caps = p.capabilities()
	p.NoNewPrivs = p.prctl("no_new_privs", unix.PR_GET_NO_NEW_PRIVS, 0)
	p.Seccomp = p.prctl("seccomp", unix.PR_GET_SECCOMP, 0)
	p.Dumpable = p.prctl("dumpable", unix.PR_GET_DUMPABLE, 0)
	p.Limits = p.limits()
	p.Namespaces = p.namespaces()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	p.note("mounts", err)
	if len(mounts) > 0 {
		p.Mounts = strings.Split(strings.TrimSuffix(string(mounts), "\n"), "\n")
	}
	p.Umask = unix.Umask(0) // the only way to ask is to set; nothing else runs here
	unix.Umask(p.Umask)
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		p.Env = append(p.Env, name)
	}
	p.Cwd, err = unix.Getwd()
	p.note("cwd", err)
	p.Interfaces, err = interfaceNames()
	p.note("interfaces", err)
	return Result{Detail: strconv.Itoa(len(p.Errors)) + " questions failed", Posture: p}, nil
}

func (p *Posture) note(question string, err error) {
	if err != nil {
		p.Errors[question] = err.Error()
	}
}

func (p *Posture) prctl(question string, option, arg int) int {
	got, err := unix.PrctlRetInt(option, uintptr(arg), 0, 0, 0)
	p.note(question, err)
	return got
}

// capabilities asks capget for this thread and prctl for the bounding and ambient sets, bit by bit until the kernel says
// EINVAL: that is its highest capability.
func (p *Posture) capabilities() Caps {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData // low and high word
	p.note("capget", unix.Capget(&head, &data[0]))
	word := func(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }
	caps := Caps{
		Effective:   word(data[0].Effective, data[1].Effective),
		Permitted:   word(data[0].Permitted, data[1].Permitted),
		Inheritable: word(data[0].Inheritable, data[1].Inheritable),
	}
	for c := range 64 {
		bounding, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0)
		if err != nil {
			if c == 0 {
				p.note("bounding", err)
			}
			break
		}
		caps.Bounding |= uint64(bounding) << c
		ambient, err := unix.PrctlRetInt(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_IS_SET, uintptr(c), 0, 0)
		p.note("ambient", err)
		caps.Ambient |= uint64(ambient) << c
	}
	return caps
}
