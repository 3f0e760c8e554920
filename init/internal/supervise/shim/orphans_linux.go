package shim

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// orphans are the processes of a sandbox without a pid namespace that come to this process when init is killed.
type orphans struct {
	preexisting map[int]uint64 // children that this process had before, of the program that it was: start times by id
	gainRights  bool           // the server's processes may lack no_new_privs
	hosted      bool           // this process has no children but its own
}

// AdoptOrphans makes this process the subreaper of init's descendants, should init be killed.
func (o *orphans) AdoptOrphans(c policy.Confinement) error {
	if err := platform.SetChildSubreaper(); err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "prctl", Err: err}
	}
	o.preexisting, o.gainRights = nil, c == policy.None
	if proctree.Childless() {
		return nil
	}
	o.preexisting = map[int]uint64{}
	for _, p := range proctree.Descendants(unix.Getpid()) {
		o.preexisting[p.PID] = p.Start
	}
	return nil
}

// ReapChildren reaps the processes of a launch that is refused: a runner that had to be killed may have cloned an init
// without storing its process id, which ends by itself.
func (o *orphans) ReapChildren(timeout time.Duration) {
	for until := time.Now().Add(timeout); o.hosted && time.Now().Before(until) && reapAny(); {
		unix.Poll(nil, 1)
	}
}

// reapAny reaps each child that has ended, and reports whether there are others.
func reapAny() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if pid <= 0 && err != unix.EINTR {
			return err != unix.ECHILD
		}
	}
}

// SweepOrphans ends and reaps the processes that this process inherited from an init that was killed.
func (o *orphans) SweepOrphans() (killed int, used unix.Rusage) {
	w := proctree.Sweep{Root: unix.Getpid(), Spares: o.isForeign}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if proctree.Childless() {
			return killed, used
		}
		killed += w.Kill()
		left := 0
		for _, p := range w.Found() {
			var ru unix.Rusage
			if pid, err := unix.Wait4(p.PID, nil, unix.WNOHANG, &ru); err == nil && pid == p.PID {
				add(&used, &ru)
			} else if unix.Kill(p.PID, 0) != unix.EPERM { // another user's cannot be ended
				left++
			}
		}
		if left == 0 {
			return killed, used
		}
		unix.Poll(nil, int(pause/time.Millisecond))
	}
}

func add(sum, ru *unix.Rusage) {
	sum.Utime.Sec += ru.Utime.Sec
	sum.Utime.Usec += ru.Utime.Usec
	sum.Stime.Sec += ru.Stime.Sec
	sum.Stime.Usec += ru.Stime.Usec
	sum.Maxrss = max(sum.Maxrss, ru.Maxrss)
}

// mostOlder is how many generations are looked at between a process and an older one.
const mostOlder = 512

// isForeign reports whether a process below this one is not the sandbox's: older than the sandbox, the child of an
// older process, or without no_new_privs, which every sandboxed process has.
func (o *orphans) isForeign(pid int) bool {
	self := unix.Getpid()
	for at, n := pid, 0; len(o.preexisting) > 0 && at > 1 && at != self && n < mostOlder; n++ {
		p, err := proctree.Look(at)
		if err != nil {
			break
		}
		if start, older := o.preexisting[at]; older && start == p.Start {
			return true
		}
		at = p.Parent
	}
	if o.gainRights {
		return false
	}
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/status", 16<<10)
	if err != nil {
		return false
	}
	held, ok := platform.NoNewPrivs(b)
	return ok && !held
}
