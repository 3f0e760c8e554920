package supervise

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// living counts the processes below init that are not dead already, whoever their parents are by now.
func (s *shim) living() int {
	parents := map[int]int{}
	var buf [1024]byte
	for _, name := range processes() {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b := readInto(buf[:], "/proc/"+name+"/stat") // nothing if it ended meanwhile
		if state, parent, ok := platform.ParseStat(b); ok && state != 'Z' && state != 'X' {
			parents[pid] = parent
		}
	}
	n := 0
	for pid := range parents {
		if pid != s.init && below(parents, pid, s.init) {
			n++
		}
	}
	return n
}

// readInto reads what fits of a small file.
func readInto(buf []byte, path string) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, _ := unix.Read(fd, buf)
	return buf[:max(n, 0)]
}

// below follows a process's ancestors; a table read while it changes may hold a circle.
func below(parents map[int]int, pid, ancestor int) bool {
	for range 1 << 10 {
		parent, ok := parents[pid]
		if !ok {
			return false
		}
		if parent == ancestor {
			return true
		}
		pid = parent
	}
	return false
}

// processes lists the names in /proc.
func processes() (names []string) {
	fd, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	b := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(fd, b)
		if n <= 0 || err != nil {
			return names
		}
		found, _ := platform.ParseDirents(b[:n])
		for _, f := range found {
			if strings.IndexFunc(f, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
				names = append(names, f)
			}
		}
	}
}
