package confine

import (
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// Init is init's process id in the shim's pid namespace, once the runner has exited; 0 or less if there is no
// init.
func (l *Launch) Init() int { return int(int32(l.Live(l.clone))) }

// Reached is the layer of the call at which a launch stopped.
func (l *Launch) Reached(r *program.Results) string {
	if f, some := l.FirstFailure(r, l.serverReady, true); some {
		return f.Layer
	}
	return "exec"
}

// Ended is the server's wait status as init stored it, or false if init ended without reaping the server. It
// is a claim by process 1, read once: only the report of the end may depend on it.
func (l *Launch) Ended() (status uint32, ok bool) {
	server := l.Live(l.server)
	if server <= 0 || l.Live(l.reaped) != server {
		return 0, false
	}
	return l.LiveWord32(l.status), true
}

// ExecError is the error of execve, or nil if execve has not failed.
func (l *Launch) ExecError() error {
	if v := l.Live(l.exec); v < 0 && v > -4096 {
		return syscall.Errno(-v)
	}
	return nil
}

// ExecFailed reports whether the server's process exited because its execve failed.
func (l *Launch) ExecFailed(code int) bool { return code == exitExec && l.ExecError() != nil }

// OverCPU reports whether a processor time exceeds the server's RLIMIT_CPU, the policy's or an inherited one,
// at which the kernel kills a process that ignores SIGXCPU; getrlimit(2). For the limit the kernel counts in
// ticks, which was seen to be 0.21 s more of one second than wait4 tells. The difference shrinks with time.
func (l *Launch) OverCPU(seconds float64) bool {
	limit := l.req.Machine.Hard[unix.RLIMIT_CPU]
	if n, limited := l.req.cpuSeconds(); limited {
		limit = min(limit, uint64(n))
	}
	return seconds >= 0.85*float64(limit)-0.25
}
