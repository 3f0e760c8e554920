package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// finish reaps init, tells how it ended, and returns the exit code.
func (s *shim) finish() int {
	e := &s.end
	_, ru, err := wait(s.init)
	s.drain()
	claim, known := s.launch.Ended()
	st := unix.WaitStatus(claim)
	x := order.Exited{Event: "exited", Cause: e.cause, Killed: e.killed, WallSeconds: time.Since(s.began).Seconds(),
		CPUSeconds: seconds(ru.Utime) + seconds(ru.Stime), MaxRSS: int64(ru.Maxrss) << 10}
	switch {
	case err != nil || !known:
		if x.Cause == "" {
			x.Cause = order.CauseSupervisorLost
		}
		x.Signal, x.ExitCode = unix.SignalName(unix.SIGKILL), exitSignal+int(unix.SIGKILL)
	case st.Signaled():
		if x.Cause == "" {
			x.Cause = order.CauseSignal
			if st.Signal() == unix.SIGXCPU || st.Signal() == unix.SIGKILL && s.launch.OverCPU(x.CPUSeconds) {
				x.Cause = order.CauseCPU
			}
		}
		x.Signal, x.ExitCode = unix.SignalName(st.Signal()), exitSignal+int(st.Signal())
	default:
		if x.Cause == "" {
			x.Cause = order.CauseExit
		}
		x.ExitCode = st.ExitStatus()
		if s.launch.ExecFailed(x.ExitCode) {
			x.ExitCode = s.notExecuted()
		}
	}
	if e.cause == order.CauseTimeout {
		x.ExitCode = ExitTimeout
	}
	s.sink.last(&x)
	return x.ExitCode
}

// notExecuted tells of a command that the kernel did not execute though it looked executable.
func (s *shim) notExecuted() int {
	err := s.launch.ExecError()
	s.Say("execute " + s.view.Command + ": " + err.Error())
	if err == unix.ENOENT {
		return ExitMissing
	}
	return ExitCannot
}

func seconds(t unix.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
