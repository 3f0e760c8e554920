package proctree

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A Sweep ends every process below Root, where no pid namespace does. A Sweep stops them all first, again and
// again until none runs, and then kills: a stopped process still counts where the number of processes is
// limited, and so makes no room for another.
//
// Signals to one process after another would lose against a program that only forks. So no process below Root
// may start another one any more (RLIMIT_NPROC is 0, which children inherit and none can raise), and SIGSTOP
// goes to whole process groups: a fork under way is restarted after the signal (kernel/fork.c, copy_process).
// SIGKILL goes to single processes, each of them confirmed.
//
// A process that waits uninterruptibly has the signal pending and stops before it returns from the kernel.
// The sweep does not wait for such a process: the parent of a vfork(2) waits until its child calls execve,
// and the child may be stopped.
type Sweep struct {
	Root   int
	Spares func(pid int) bool // reports whether a process is not to be ended; nil: none is spared

	counted map[int]uint64 // start times by pid of the processes that Kill has counted
}

// stopTimeout is how long a sweep tries to stop everything. Processes of one user can wake each other, and hundreds of
// them leave the sweep little time.
const stopTimeout = 20 * time.Second

// Kill ends the processes, once, and returns how many of them were alive. A process that ends slowly is counted by the
// first Kill of a Sweep alone.
func (w *Sweep) Kill() (living int) {
	signalled := map[int]uint64{}
	for began := time.Now(); time.Since(began) < stopTimeout && w.stop(signalled) > 0; {
	}
	for _, p := range w.Found() {
		if p.Dead() || p.Signal(unix.SIGKILL) != nil || w.counted[p.PID] == p.Start {
			continue
		}
		if w.counted == nil {
			w.counted = map[int]uint64{}
		}
		w.counted[p.PID] = p.Start
		living++
	}
	return living
}

// stop stops the running processes, and returns their number. signalled keeps the start time of each process
// signalled by pid.
func (w Sweep) stop(signalled map[int]uint64) (running int) {
	session, _ := unix.Getsid(0)
	stopped := map[int]bool{}
	eachBelow(w.Root, func(p *Process) {
		waits := p.state == 'D' && signalled[p.PID] == p.Start
		if p.halted() || waits || w.spared(p) || p.Signal(unix.SIGSTOP) != nil {
			return
		}
		running++
		signalled[p.PID] = p.Start
		unix.Prlimit(p.PID, unix.RLIMIT_NPROC, &unix.Rlimit{}, nil)
		if p.Session != session && w.ownsGroup(p) && !stopped[p.Group] {
			stopped[p.Group] = true
			unix.Kill(-p.Group, unix.SIGSTOP)
		}
	})
	return running
}

// Halt stops the processes within timeout, and resumes none.
func (w Sweep) Halt(timeout time.Duration) {
	for until := time.Now().Add(timeout); time.Now().Before(until); {
		running := 0
		eachBelow(w.Root, func(p *Process) {
			if !p.halted() && p.Signal(unix.SIGSTOP) == nil {
				running++
			}
		})
		if running == 0 {
			return
		}
	}
}

// ownsGroup reports whether all of a process's group is below Root. Its session is: init began that session, so
// a session other than this process's contains nothing but the sandbox.
func (w Sweep) ownsGroup(p *Process) bool { return p.Session > 1 && p.Group > 1 && p.Group != w.Root }

func (w Sweep) spared(p *Process) bool { return w.Spares != nil && w.Spares(p.PID) }

// Found are the processes that are to be ended, zombies included.
func (w Sweep) Found() []Process {
	return slices.DeleteFunc(Descendants(w.Root), func(p Process) bool { return w.spared(&p) })
}

// Childless reports whether this process has no child, dead or alive, and so no descendant.
func Childless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == unix.ECHILD
}
