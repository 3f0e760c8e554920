package cgroup

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Usage is what a group's processes used, and which limits they reached. A field is zero where the kernel has no
// counter.
type Usage struct {
	CPU     time.Duration // user and system
	Peak    int64         // bytes of memory; Linux 5.19
	Killed  int64         // processes that the OOM killer killed
	AtLimit bool          // the group's own limit was reached, not the limit of an ancestor or the machine's memory
	Refused int64         // forks that were refused
}

// Usage reads the group's counters.
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

// RefusedForks is a descriptor of pids.events for poll(2), which shows POLLPRI after the kernel refused a fork; or -1.
func (g *Group) RefusedForks() int {
	if !g.Holds("pids.max") {
		return -1
	}
	fd, err := unix.Openat(g.server.fd, "pids.events", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	if _, err = platform.ReadFD(fd, 4096); err != nil { // POLLPRI follows a change after the last read
		unix.Close(fd)
		return -1
	}
	return fd
}
