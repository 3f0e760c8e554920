package cgroup

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Usage is what a group's processes used and ran into. A field is zero where the kernel does not tell.
type Usage struct {
	CPU     time.Duration // user and system
	Peak    int64         // bytes of memory; Linux 5.19
	Killed  int64         // processes that were killed for want of memory
	AtLimit bool          // and that was for the group's own limit, not for that of a group above or the machine's
	Refused int64         // forks that were refused
}

// Usage reads what the group has used up to now.
func (g *Group) Usage() (u Usage) {
	if !g.Made() {
		return u
	}
	count := func(file, key string) int64 {
		text, _ := g.server.read(file)
		n, _ := platform.CgroupCount([]byte(text), key)
		return n
	}
	u.CPU = time.Duration(count("cpu.stat", "usage_usec")) * time.Microsecond
	u.Killed = count("memory.events", "oom_kill")
	u.AtLimit = count("memory.events", "oom") > 0
	u.Refused = count("pids.events", "max")
	if text, err := g.server.read("memory.peak"); err == nil {
		u.Peak, _ = strconv.ParseInt(text, 10, 64)
	}
	return u
}

// RefusedForks is a descriptor that poll(2) has POLLPRI for once the kernel refuses a fork, or -1.
func (g *Group) RefusedForks() int {
	if !g.Holds("pids.max") {
		return -1
	}
	fd, err := unix.Openat(g.server.fd, "pids.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	if _, err = platform.ReadFD(fd, 4096); err != nil { // what has been read is what there is news of later
		unix.Close(fd)
		return -1
	}
	return fd
}

// Limit is the number that a file of the group holds the server to, or 0.
func (g *Group) Limit(file string) int64 {
	if !g.Holds(file) {
		return 0
	}
	for i := range g.Settings {
		if s := &g.Settings[i]; s.File == file {
			n, _ := strconv.ParseInt(s.Value, 10, 64)
			return n
		}
	}
	return 0
}
