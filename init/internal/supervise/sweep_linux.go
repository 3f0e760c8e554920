package supervise

import (
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A sweep ends every process below an ancestor, where no pid namespace does. All are stopped first, again and again until
// none runs, and only then killed: one that is stopped goes on counting where the number of processes is limited, and so
// makes no room for another.
//
// One after the other would lose against a program that only forks. So each may start no further process, which its
// children inherit and nobody takes back; and a signal to a process group reaches all of it at once: a fork under way begins
// anew, with the signal (kernel/fork.c, copy_process). What is killed are single processes, each looked at.
type sweep struct {
	root   int
	spares func(pid int) bool // processes that are not the sandbox's; nil for none
}

// stopping is how long a sweep tries that. Processes of one user can wake each other, and hundreds leave it little time.
const stopping = 20 * time.Second

// all does it, once. It returns how many processes it found alive.
func (w sweep) all() (living int) {
	host, _ := unix.Getsid(0)
	for began := time.Now(); time.Since(began) < stopping; {
		running, stopped := 0, map[int]bool{}
		eachBelow(w.root, func(p process) {
			if halted(p.state) || w.spared(&p) {
				return
			}
			if p.signal(unix.SIGSTOP) != nil {
				return // it ended, and its number may be another's by now
			}
			running++
			unix.Prlimit(p.pid, unix.RLIMIT_NPROC, &unix.Rlimit{}, nil) // what is stopped keeps its number
			if p.session != host && w.whole(&p) && !stopped[p.group] {
				stopped[p.group] = true
				unix.Kill(-p.group, unix.SIGSTOP)
			}
		})
		if running == 0 {
			break
		}
	}
	for _, p := range w.found() {
		if !dead(p.state) && p.signal(unix.SIGKILL) == nil {
			living++
		}
	}
	return living
}

// whole reports whether all of a process's group is the sandbox's. The session is: init began one, so another than the
// launcher's has nobody else in it but init.
func (w sweep) whole(p *process) bool { return p.session > 1 && p.group > 1 && p.group != w.root }

func (w sweep) spared(p *process) bool { return w.spares != nil && w.spares(p.pid) }

// found are the processes that are to be ended, dead ones included.
func (w sweep) found() (all []process) {
	for _, p := range descendants(w.root) {
		if !w.spared(&p) {
			all = append(all, p)
		}
	}
	return all
}

// signal signals the process that was looked at, and no other that has its number by now.
func (p *process) signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == unix.ENOSYS || err == unix.EPERM { // before 5.3, or a filter
		return unix.Kill(p.pid, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(p.pid)+"/stat", 4096)
	if err != nil {
		return err
	}
	if at, ok := platform.ParseStart(b); !ok || at != p.start {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// adoptOrphans makes this process the parent of what init leaves behind, should init be killed, and opens the image with
// which init does the same for it. Children that it has already, of the program that it was before, are not the sandbox's.
func (s *shim) adoptOrphans() error {
	if err := platform.AdoptOrphans(); err != nil {
		return refusedStart("prctl", err)
	}
	s.strangers = nil
	if childless() {
		return s.openImage()
	}
	for _, p := range descendants(unix.Getpid()) {
		s.strangers = append(s.strangers, p.pid)
	}
	return s.openImage()
}

// sweepTree ends everything below init, which reaps it and then ends itself. It returns how many that were at first. What
// takes longer is left to finish.
func (s *shim) sweepTree() (killed int) {
	w := sweep{root: s.init}
	killed = w.all()
	until := time.Now().Add(forInit)
	for pause := time.Millisecond; !s.over() && time.Now().Before(until); pause = min(2*pause, 20*time.Millisecond) {
		unix.Poll([]unix.PollFd{{Fd: int32(s.initFD), Events: unix.POLLIN}}, int(pause/time.Millisecond))
		w.all()
	}
	return killed
}

// sweepOwn ends and reaps what has come to this process from an init that was killed.
func (s *shim) sweepOwn() (killed int, used unix.Rusage) {
	w := sweep{root: unix.Getpid(), spares: s.stranger}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if childless() {
			return killed, used
		}
		killed += w.all()
		left := 0
		for _, p := range w.found() {
			var ru unix.Rusage
			if pid, err := unix.Wait4(p.pid, nil, unix.WNOHANG, &ru); err == nil && pid == p.pid {
				add(&used, &ru)
			} else if unix.Kill(p.pid, 0) != unix.EPERM { // another user's cannot be ended
				left++
			}
		}
		if left == 0 {
			return killed, used
		}
		unix.Poll(nil, int(pause/time.Millisecond))
	}
}

// childless reports whether this process has no child, dead or alive: then nobody is below it.
func childless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == unix.ECHILD
}

func add(sum, ru *unix.Rusage) {
	sum.Utime.Sec += ru.Utime.Sec
	sum.Utime.Usec += ru.Utime.Usec
	sum.Stime.Sec += ru.Stime.Sec
	sum.Stime.Usec += ru.Stime.Usec
	sum.Maxrss = max(sum.Maxrss, ru.Maxrss)
}

// stranger reports whether a process below this one is not the sandbox's: it was there before, or is a child of one that
// was, or may still gain rights, which no confined process can.
func (s *shim) stranger(pid int) bool {
	if slices.Contains(s.strangers, pid) {
		return true
	}
	if s.rung == policy.None {
		return false
	}
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/status", 16<<10)
	if err != nil {
		return false
	}
	held, ok := platform.NoNewPrivs(b)
	return ok && !held
}
