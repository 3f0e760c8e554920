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

// forOrphans is how long processes of a shim that was killed may take to become this process's children.
const forOrphans = 4 * time.Second

// reapOrphans reaps what a shim has left to this process: only if that is process 1 or a subreaper, and only
// processes that bear the name of a runner and of what it becomes, each by its own id. A shim that was not killed
// leaves nothing.
func reapOrphans(killed bool) {
	if os.Getpid() != 1 && !platform.IsChildSubreaper() {
		return
	}
	until := time.Now()
	if killed {
		until = until.Add(forOrphans)
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if !orphans() && time.Now().After(until) {
			return
		}
		time.Sleep(pause)
	}
}

// orphans reaps those that have ended, and reports whether there are others.
func orphans() (left bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && orphan(pid) {
			left = reap(pid) || left
		}
	}
	return left
}

// orphan reports whether a process is this one's child, and a runner or what became of one. Every other of those is its
// shim's child.
func orphan(pid int) bool {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(pid)+"/stat", 4096)
	if err != nil {
		return false
	}
	_, name, _ := bytes.Cut(b[:max(0, bytes.LastIndexByte(b, ')'))], []byte{'('})
	_, parent, ok := platform.ParseStat(b)
	return ok && parent == os.Getpid() && string(name) == order.RunnerName
}

// reap reaps one that has ended. It reports whether the process lives.
func reap(pid int) (lives bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if !orphan(pid) { // it ended in between, and the number may be another's
		return false
	}
	var st unix.Siginfo
	for {
		switch err = unix.Waitid(unix.P_PIDFD, fd, &st, unix.WEXITED|unix.WNOHANG, nil); {
		case err == unix.EINTR:
			continue
		case err != nil:
			return false // somebody else in this process has reaped it
		}
		return st.Signo == 0
	}
}
