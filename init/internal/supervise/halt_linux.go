package supervise

import (
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// forHalt is how long processes may take to stop, before the shim stops itself.
const forHalt = 100 * time.Millisecond

// stopAll stops every process of the sandbox and then, by stop, the shim, as a job of the user's shell. Nobody would see to
// those that ran on. When the shim goes on, so do they.
//
// A process may wake itself, by a timer that sends SIGCONT. So the shim has such a timer as well, for its next deadline.
func (s *shim) stopAll(stop func() error) {
	s.halt()
	if at := s.end.Next(); !at.IsZero() {
		cancel, err := platform.WakeAt(at)
		if err != nil { // it could not keep the time
			s.resume()
			return
		}
		defer cancel()
	}
	stop()
	s.resume()
}

// halt stops every process of the sandbox. With process 1 of a namespace one call does, and of a process that forks no
// other could be sure.
func (s *shim) halt() {
	if !s.shared() {
		s.Signal(confine.MsgFreeze)
		return
	}
	proctree.Sweep{Root: s.init}.Halt(forHalt)
}

// resume lets everything go on that halt stopped, children first: a shell that finds its child stopped takes it for a
// suspended job. To a process that was stopped before, the signal to stop still waits to be delivered. One that had been
// told to stop and had not yet done so goes on as well: two signals of a kind that wait are one, signal(7).
func (s *shim) resume() {
	stopped := proctree.Descendants(s.init)
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
	s.Signal(unix.SIGCONT)
}

// suspend stops the shim as Ctrl-Z stops a job, if there is a terminal whose shell waits for that. The server has a moment
// to do what it does then.
func (s *shim) suspend() {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // ENXIO without one; tty(4)
	if err != nil {
		return
	}
	unix.Close(fd)
	for until := time.Now().Add(forHalt); !s.isStopped() && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	s.stopAll(func() error { return unix.Kill(unix.Getpid(), unix.SIGSTOP) })
}

// stoppedServer stops this job of the user's shell as well when its server was stopped, by Ctrl-Z above all, and lets it go
// on when the shell does. Without a shell that could, the kernel ignores SIGTSTP, and the server goes on at once. On a
// terminal that the host gave, the host sees to that, by SIGCONT.
func (s *shim) stoppedServer() {
	t := &s.stdio.Terminal
	if !t.HasPTY() || !s.isStopped() {
		return
	}
	t.Leave()
	s.stopAll(func() error {
		return signals.ByDefault(func() error { return unix.Kill(0, unix.SIGTSTP) }, unix.SIGTSTP)
	})
	t.Enter()
}

// isStopped reports whether the server still is.
func (s *shim) isStopped() bool {
	p, err := proctree.Look(s.server)
	return err == nil && p.Stopped()
}
