package rows

import (
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// Init is the process id of init in the shim's namespace, once the runner has ended; 0 or less if there is none.
func (l *Launch) Init() int { return int(int32(l.Live(l.clone))) }

// Reached is the layer whose calls a launch was making when it stopped.
func (l *Launch) Reached(r *program.Results) string {
	if f, some := l.FirstFailure(r, l.serverReady, true); some {
		return f.Layer
	}
	return "exec"
}

// Ended is what init says of the server: its wait status, or false if init ended without having reaped it. It is a
// claim by process 1, read once: nothing but what is told of the end may follow from it.
func (l *Launch) Ended() (status uint32, ok bool) {
	server := l.Live(l.server)
	if server <= 0 || l.Live(l.reaped) != server {
		return 0, false
	}
	return l.LiveWord32(l.status), true
}

// ExecError is the error of execve, or nil if it did not come back.
func (l *Launch) ExecError() error {
	if v := l.Live(l.exec); v < 0 && v > -4096 {
		return syscall.Errno(-v)
	}
	return nil
}

// ExecFailed reports whether a wait status is that of a server's process whose execve came back.
func (l *Launch) ExecFailed(code int) bool { return code == exitExec && l.ExecError() != nil }

// OverCPU reports whether a launch that used so much processor time was over the server's RLIMIT_CPU, the policy's or
// an inherited one, where the kernel ends a process that ignores SIGXCPU; getrlimit(2). The kernel counts by sampling
// there, at ticks: of one second it was seen to be 0.21 s ahead of what it tells in the end. The longer the time, the
// less that is of it.
func (l *Launch) OverCPU(seconds float64) bool {
	limit := l.req.Machine.Hard[unix.RLIMIT_CPU]
	if n, limited := l.req.cpuSeconds(); limited {
		limit = min(limit, uint64(n))
	}
	return seconds >= 0.85*float64(limit)-0.25
}
