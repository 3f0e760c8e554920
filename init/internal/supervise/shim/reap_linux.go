package shim

import (
	"os"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Reap ends every process below this one, until none is left, and then removes the private folder. An init without a
// pid namespace executes Reap when its shim is gone: the process id stays, and every orphan is its child.
func Reap() int {
	if !platform.IsChildSubreaper() {
		return ending.ExitSandbox // init is one, and few other callers
	}
	platform.WriteFile("/proc/self/comm", order.RunnerName) // execve has changed the name
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	w := proctree.Sweep{Root: unix.Getpid()}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		w.Kill()
		if !reapAny() {
			removeFolder()
			return 0
		}
		if len(w.Found()) == 0 {
			killHidden()
		}
		unix.Poll(nil, int(pause/time.Millisecond))
	}
}

// killHidden kills this process's children where /proc does not show them: without /proc, or with hidepid (proc(5)).
// waitid(2) tells for any pid whether the process is a child.
func killHidden() {
	for pid := 2; pid < 1<<22; pid++ { // PID_MAX_LIMIT
		if unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil) == nil {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// removeFolder removes the private folder.
func removeFolder() {
	path, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(layers.ReaperFolder))
	if err == nil {
		d := privdir.Opened(layers.ReaperFolder, path)
		d.Remove(privdir.NoHurry())
	}
}
