package supervise

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A process of the sandbox, as it was when it was looked at.
type process struct {
	pid   int
	state byte // proc_pid_stat(5)
	depth int  // 1: init's own child
}

// living counts the processes below init that are not dead already, whoever their parents are by now.
func (s *shim) living() int {
	n := 0
	for _, p := range s.tree() {
		if p.state != 'Z' && p.state != 'X' {
			n++
		}
	}
	return n
}

// tree finds the processes below init.
func (s *shim) tree() []process {
	type known struct {
		state  byte
		parent int
	}
	all, parents := map[int]known{}, map[int]int{}
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
			all[pid], parents[pid] = known{state, parent}, parent
		}
	}
	var found []process
	for pid, k := range all {
		if depth := below(parents, pid, s.init); depth > 0 {
			found = append(found, process{pid, k.state, depth})
		}
	}
	return found
}

// below is how many generations lie between a process and an ancestor, or 0 if that is none. A table read while it
// changes may hold a circle.
func below(parents map[int]int, pid, ancestor int) int {
	for depth := 1; depth < 1<<10; depth++ {
		parent, ok := parents[pid]
		if !ok {
			return 0
		}
		if parent == ancestor {
			return depth
		}
		pid = parent
	}
	return 0
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
	b := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(fd, b)
		if n <= 0 || err != nil {
			return names, err
		}
		found, ok := platform.ParseDirents(b[:n])
		if !ok {
			return names, unix.EIO
		}
		for _, f := range found {
			if f != "." && f != ".." {
				names = append(names, f)
			}
		}
	}
}
