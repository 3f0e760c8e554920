package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// finish reaps init, tells how it ended, and returns the exit code.
func (s *shim) finish() int {
	e := &s.end
	_, ru, err := wait(s.init)
	if s.shared() {
		left, used := s.sweepOwn()
		add(&ru, &used)
		if !e.Killing {
			e.Killed += left
		}
	}
	took, appeared := time.Since(s.began), s.appeared.Last() // before what takes long, for the host may not wait
	s.stdio.Drain()
	claim, known := s.launch.Ended()
	st := unix.WaitStatus(claim)
	x := order.Exited{Event: "exited", Cause: e.Cause, Killed: e.Killed, WallSeconds: took.Seconds(), Appeared: appeared,
		CPUSeconds: seconds(ru.Utime) + seconds(ru.Stime), MaxRSS: int64(ru.Maxrss) << 10}
	s.used(&x)
	switch {
	case err != nil || !known:
		if x.Cause == "" {
			x.Cause = order.CauseSupervisorLost
		}
		x.Signal, x.ExitCode = platform.SignalName(unix.SIGKILL), ending.ExitSignal+int(unix.SIGKILL)
	case st.Signaled():
		if x.Cause == "" {
			x.Cause = order.CauseSignal
			if st.Signal() == unix.SIGXCPU || st.Signal() == unix.SIGKILL && s.launch.OverCPU(x.CPUSeconds) {
				x.Cause = order.CauseCPU
			}
			if st.Signal() == unix.SIGKILL && s.group.killed() {
				x.Cause = order.CauseOOM
			}
		}
		x.Signal, x.ExitCode = platform.SignalName(st.Signal()), ending.ExitSignal+int(st.Signal())
	default:
		if x.Cause == "" {
			x.Cause = order.CauseExit
		}
		x.ExitCode = st.ExitStatus()
		if s.launch.ExecFailed(x.ExitCode) {
			x.ExitCode = s.notExecuted()
		}
	}
	if e.Cause == order.CauseTimeout {
		x.ExitCode = ending.ExitTimeout
	}
	s.sayDenied(&x)
	s.sayMemory(&x)
	s.sink.Last(&x)
	s.forget()
	return x.ExitCode
}

// notExecuted tells of a command that the kernel did not execute though it looked executable.
func (s *shim) notExecuted() int {
	err := s.launch.ExecError()
	s.Say("execute " + s.view.Command + ": " + err.Error())
	if err == unix.ENOENT {
		return ending.ExitMissing
	}
	return ending.ExitCannot
}

func seconds(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
