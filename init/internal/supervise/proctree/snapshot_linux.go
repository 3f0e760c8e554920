package proctree

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// maxDepth bounds a walk from a process to its ancestors.
const maxDepth = 1 << 10

// Look reads one process.
func Look(pid int) (p Process, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	b, err := platform.ReadSmall(dir+"/stat", 4096)
	if err != nil {
		return p, err
	}
	s, ok := platform.ParseStat(b)
	if !ok {
		return p, unix.EINVAL
	}
	p = Process{PID: pid, Parent: s.Parent, Group: s.Group, Session: s.Session, Start: s.Start, state: s.State}
	if s.Threads > 1 && p.Dead() {
		p.state = stateOf(dir+"/task", s.State)
	}
	return p, nil
}

// stateOf is the state of a process that outlives its first thread: /proc/PID/stat shows Z for such a
// process. The state is that of a thread that runs or could run, if there is one, else of one that is stopped.
func stateOf(threads string, state byte) byte {
	eachNumber(threads, func(tid int) (on bool) {
		b, err := platform.ReadSmall(threads+"/"+strconv.Itoa(tid)+"/stat", 4096)
		if err != nil {
			return true // the thread ended meanwhile
		}
		s, _ := platform.ParseStat(b)
		p := Process{state: s.State}
		if !p.Dead() {
			state = p.state
		}
		return p.halted()
	})
	return state
}

// Ended reports whether the process has ended since it was read.
func (p *Process) Ended() bool {
	now, err := Look(p.PID)
	return err != nil || now.Dead() || now.Start != p.Start
}

// Signal signals the process that was read, and no later process with the same pid.
func (p *Process) Signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err == unix.ENOSYS || err == unix.EPERM { // before Linux 5.3, or refused by a seccomp filter
		return unix.Kill(p.PID, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	now, err := Look(p.PID)
	if err != nil {
		return err
	}
	if now.Start != p.Start {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// Living counts the descendants of a process that are not zombies.
func Living(ancestor int) (n int) {
	eachBelow(ancestor, func(p *Process) {
		if !p.Dead() {
			n++
		}
	})
	return n
}

// Descendants are the processes below an ancestor. Each has been confirmed; see [descends].
func Descendants(ancestor int) (found []Process) {
	eachBelow(ancestor, func(p *Process) {
		if descends(p.PID, ancestor, p.Start) {
			found = append(found, *p)
		}
	})
	return found
}

// eachBelow calls do for each process that one reading of the table shows below an ancestor. The reading is not atomic;
// [descends] confirms a process, which takes many times as long.
func eachBelow(ancestor int, do func(*Process)) {
	all := map[int]Process{}
	for _, p := range Table() {
		all[p.PID] = p
	}
	for _, p := range all {
		if p.Depth = depth(all, p.PID, ancestor); p.Depth > 0 {
			do(&p)
		}
	}
}

// Table reads all processes that /proc shows.
func Table() (all []Process) {
	eachNumber("/proc", func(pid int) (on bool) {
		if p, err := Look(pid); err == nil { // else the process ended meanwhile
			all = append(all, p)
		}
		return true
	})
	return all
}

// eachNumber calls do for each name in a folder of /proc that is a number, until do returns false.
func eachNumber(dir string, do func(n int) (on bool)) {
	platform.EachEntry(unix.AT_FDCWD, dir, func(name string, _ byte) bool {
		n, err := strconv.Atoi(name)
		return err != nil || do(n)
	})
}

// depth is how many generations lie between a process and an ancestor, or 0 if the process is no descendant. A
// parent never starts after its child, and a table that is not read atomically may contain cycles.
func depth(all map[int]Process, pid, ancestor int) int {
	for generations := 1; generations < maxDepth; generations++ {
		p, ok := all[pid]
		if !ok {
			return 0
		}
		if p.Parent == ancestor {
			return generations
		}
		if all[p.Parent].Start > p.Start {
			return 0
		}
		pid = p.Parent
	}
	return 0
}

// descends confirms a process of a table that was not read atomically: a pid in the table may be of a process
// that ended, and by now of another. If both readings show the same parent pids, none of them was reused in
// between.
func descends(pid, ancestor int, start uint64) bool {
	first, ok := lineage(pid, ancestor, start)
	if !ok {
		return false
	}
	again, ok := lineage(pid, ancestor, start)
	return ok && slices.Equal(first, again)
}

// lineage are the pids of a process's parents, up to the ancestor.
func lineage(pid, ancestor int, start uint64) (parents []int, ok bool) {
	for len(parents) < maxDepth {
		p, err := Look(pid)
		if err != nil || len(parents) == 0 && p.Start != start || p.Parent == 0 {
			return nil, false
		}
		parents = append(parents, p.Parent)
		if p.Parent == ancestor {
			return parents, true
		}
		pid = p.Parent
	}
	return nil, false
}
