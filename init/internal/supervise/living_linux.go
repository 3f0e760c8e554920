package supervise

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A process of the sandbox, as it was when it was looked at.
type process struct {
	pid, parent    int
	group, session int
	state          byte // proc_pid_stat(5), see [ofThreads]
	depth          int  // 1: init's own child
	start          uint64
}

// living counts the processes below init that are not dead already, whoever their parents are by now.
func (s *shim) living() (n int) {
	eachBelow(s.init, func(p process) {
		if !dead(p.state) {
			n++
		}
	})
	return n
}

func dead(state byte) bool { return state == 'Z' || state == 'X' }

// ofThreads is the state of a process by its threads, if its first one has ended: else a server could seem dead and live. It is
// that of one that runs or could, if there is any.
func ofThreads(pid string, state byte, stat []byte) byte {
	if n, ok := platform.ParseThreads(stat); !dead(state) || !ok || n < 2 {
		return state
	}
	dir := "/proc/" + pid + "/task/"
	for _, t := range numbers(dir) {
		b, err := platform.ReadSmall(dir+t+"/stat", 4096)
		if err != nil {
			continue // it ended meanwhile
		}
		if of, _, ok := platform.ParseStat(b); ok && !dead(of) {
			if state = of; !halted(of) {
				break
			}
		}
	}
	return state
}

// tree finds the processes below init.
func (s *shim) tree() []process { return descendants(s.init) }

// descendants finds the processes below one, and makes sure of each.
func descendants(ancestor int) (found []process) {
	eachBelow(ancestor, func(p process) {
		if descends(p.pid, ancestor, p.start) {
			found = append(found, p)
		}
	})
	return found
}

// eachBelow does something with each process that is below one by a look at the table of processes, which changes
// meanwhile. [descends] makes sure of one; that takes many times as long.
func eachBelow(ancestor int, do func(process)) {
	all := map[int]process{}
	for _, name := range numbers("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := platform.ReadSmall("/proc/"+name+"/stat", 4096)
		if err != nil {
			continue // it ended meanwhile
		}
		if state, parent, ok := platform.ParseStat(b); ok {
			p := process{pid: pid, parent: parent, state: ofThreads(name, state, b)}
			p.start, _ = platform.ParseStart(b)
			p.group, p.session, _ = platform.ParseGroup(b)
			all[pid] = p
		}
	}
	for _, p := range all {
		if p.depth = below(all, p.pid, ancestor); p.depth > 0 {
			do(p)
		}
	}
}

// below is how many generations lie between a process and an ancestor, or 0 if that is none. Nobody is younger than his
// child; and a table read while it changes may hold a circle.
func below(all map[int]process, pid, ancestor int) int {
	for depth := 1; depth < 1<<10; depth++ {
		p, ok := all[pid]
		if !ok {
			return 0
		}
		if p.parent == ancestor {
			return depth
		}
		if all[p.parent].start > p.start {
			return 0
		}
		pid = p.parent
	}
	return 0
}

// descends makes sure of what a table says that was read while it changed: a number in it may be of a process that ended,
// and by now of another. Who has the same parent twice had it all the time between, so what was read of the parent then
// was the parent's.
func descends(pid, ancestor int, start uint64) bool {
	first, ok := lineage(pid, ancestor, start)
	if !ok {
		return false
	}
	again, ok := lineage(pid, ancestor, start)
	return ok && slices.Equal(first, again)
}

// lineage are the ancestors of a process, up to one.
func lineage(pid, ancestor int, start uint64) (parents []int, ok bool) {
	for len(parents) < 1<<10 {
		b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/stat", 4096)
		if err != nil {
			return nil, false
		}
		if at, ok := platform.ParseStart(b); !ok || len(parents) == 0 && at != start {
			return nil, false
		}
		_, parent, ok := platform.ParseStat(b)
		if !ok || parent == 0 {
			return nil, false
		}
		parents = append(parents, parent)
		if parent == ancestor {
			return parents, true
		}
		pid = parent
	}
	return nil, false
}

// numbers lists the names in a folder of /proc that are numbers.
func numbers(dir string) (names []string) {
	all, _ := list(dir)
	for _, f := range all {
		if strings.IndexFunc(f, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
			names = append(names, f)
		}
	}
	return names
}

// list lists the names in a folder but the two of dots.
func list(dir string) (names []string, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return listFD(fd)
}

func listFD(fd int) (names []string, err error) {
	err = platform.EachEntry(fd, func(name string, _ byte) bool { names = append(names, name); return true })
	return names, err
}
