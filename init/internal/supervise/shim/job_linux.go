package shim

import (
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A job is the processes that Ctrl-Z stops: the shim and those of its sandbox.
type job struct {
	sandbox  *launch.Sandbox
	terminal *relay.Terminal
	deadline time.Time // of the server's end, or zero
}

// haltTimeout is how long processes may take to stop, before the shim stops itself.
const haltTimeout = 100 * time.Millisecond

// stopAll stops every process of the sandbox and then, by stop, the shim, as a job of the user's shell. The stopped
// shim could not supervise running processes. All resume with the shim.
//
// A process may wake itself, by a timer that sends SIGCONT. So the shim has such a timer as well, for its next
// deadline.
func (j job) stopAll(stop func() error) {
	j.halt()
	if !j.deadline.IsZero() {
		cancel, err := platform.WakeAt(j.deadline)
		if err != nil { // no timer: the deadline would pass
			j.resume()
			return
		}
		defer cancel()
	}
	stop()
	j.resume()
}

// halt stops every process of the sandbox. Process 1 of a pid namespace stops all by one kill(2), which no forking
// process escapes.
func (j job) halt() {
	if !j.sandbox.Shared() {
		j.sandbox.Send(layers.MsgFreeze)
		return
	}
	proctree.Sweep{Root: j.sandbox.Init.PID}.Halt(haltTimeout)
}

// resume resumes all processes that halt stopped, children first: a shell takes a stopped child for a suspended job. In
// a process that was stopped before, SIGSTOP is still pending. A process with an earlier SIGSTOP pending at halt
// resumes too: two pending signals of a kind are one, signal(7).
func (j job) resume() {
	stopped := proctree.Descendants(j.sandbox.Init.PID)
	slices.SortFunc(stopped, func(a, b proctree.Process) int { return b.Depth - a.Depth })
	for _, p := range stopped {
		b, err := platform.ReadSmall("/proc/"+strconv.Itoa(p.PID)+"/status", 16<<10)
		if err != nil {
			continue // killed meanwhile
		}
		const stop = 1 << (uint(unix.SIGSTOP) - 1)
		if waits, ok := platform.Pending(b); p.Stopped() && ok && waits&stop != 0 {
			continue
		}
		p.Signal(unix.SIGCONT)
	}
	j.sandbox.Send(byte(unix.SIGCONT))
}

// suspend stops the shim as Ctrl-Z stops a job, if there is a terminal with a shell that waits for that. The server has
// a moment to handle the signal.
func (j job) suspend() {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // ENXIO without one; tty(4)
	if err != nil {
		return
	}
	unix.Close(fd)
	for until := time.Now().Add(haltTimeout); !j.isStopped() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	j.stopAll(signals.StopSelf)
}

// onServerStop stops this job of the user's shell as well when its server was stopped, by Ctrl-Z above all, and
// resumes the server when the shell resumes the job. Without such a shell the kernel ignores SIGTSTP, and the server
// resumes at once. On a terminal that the host gave, the host resumes the server, by SIGCONT.
func (j job) onServerStop() {
	t := j.terminal
	if !t.HasPTY() || !j.isStopped() {
		return
	}
	t.Leave()
	j.stopAll(signals.StopGroup)
	t.Enter()
}

// isStopped reports whether the server still is.
func (j job) isStopped() bool {
	p, err := proctree.Look(j.sandbox.Server)
	return err == nil && p.Stopped()
}
