package launcher

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// orphanTimeout is how long processes of a shim that was killed may take to become this process's children, and to end:
// one that hangs in the kernel is reaped after the next launch.
const orphanTimeout = 4 * time.Second

// reapOrphans reaps the processes of a shim that became children of this process: only if this process is process 1
// or a subreaper, and only children with the name of a runner and its descendants, each by its own id. A shim that
// was not killed leaves none.
func reapOrphans(killed bool) {
	if os.Getpid() != 1 && !platform.IsChildSubreaper() {
		return
	}
	until := time.Now()
	if killed {
		until = until.Add(orphanTimeout)
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if orphans(); time.Now().After(until) {
			return
		}
		time.Sleep(pause)
	}
}

// orphans reaps the orphans that have ended.
func orphans() {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && orphan(pid) {
			reap(pid)
		}
	}
}

// orphan reports whether a process is a child of this process by the name of a runner. Every living shim's runner is
// the shim's child.
func orphan(pid int) bool {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/stat", 4096)
	if err != nil {
		return false
	}
	_, name, _ := bytes.Cut(b[:max(0, bytes.LastIndexByte(b, ')'))], []byte{'('})
	s, ok := platform.ParseStat(b)
	return ok && s.Parent == os.Getpid() && string(name) == order.RunnerName
}

// reap reaps an orphan that has ended, if no other goroutine of the host has.
func reap(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if !orphan(pid) { // it ended in between, and the number may be another's
		return
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG, nil)
	}
}
