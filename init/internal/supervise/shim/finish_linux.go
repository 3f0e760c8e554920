package shim

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// finish reaps init, reports how the server ended, and returns the exit code.
func (s *shim) finish() int {
	m, sandbox := s.monitor, s.monitor.sandbox
	e := &m.end
	ru, err := sandbox.Reap()
	if sandbox.Shared() {
		left, used := s.orphans.SweepOrphans()
		add(&ru, &used)
		if !e.Killing {
			e.Killed += left
		}
	}
	took, appeared := time.Since(s.began), m.appeared.Last() // before slow steps, for the host may not wait
	m.stdio.Drain()
	sandbox.Listener.Finish()
	s.network.finish()
	sandbox.CloseEgress()
	x := order.Exited{Event: "exited", Killed: e.Killed, Appeared: appeared, WallSeconds: took.Seconds(),
		CPUSeconds: time.Duration(ru.Utime.Nano() + ru.Stime.Nano()).Seconds(), MaxRSS: int64(ru.Maxrss) << 10}
	m.group.read(&x)
	claim, known := sandbox.Program.Ended()
	st, cause, failed := unix.WaitStatus(claim), order.CauseExit, false
	switch sig := st.Signal(); {
	case err != nil || !known:
		cause, st = order.CauseSupervisorLost, unix.WaitStatus(unix.SIGKILL)
	case sig == unix.SIGKILL && m.group.killed():
		cause = order.CauseOOM
	case sig == unix.SIGXCPU || sig == unix.SIGKILL && sandbox.Program.OverCPU(x.CPUSeconds):
		cause = order.CauseCPU
	case st.Signaled():
		cause = order.CauseSignal
	}
	x.Cause = cmp.Or(e.Cause, cause)
	if st.Signaled() {
		x.Signal, x.ExitCode = platform.SignalName(st.Signal()), ending.ExitSignal+int(st.Signal())
	} else if x.ExitCode = st.ExitStatus(); sandbox.Program.ExecFailed(x.ExitCode) {
		failed, x.ExitCode = true, notExecuted(sandbox, s.Say)
	}
	if e.Cause == order.CauseTimeout {
		x.ExitCode = ending.ExitTimeout
	}
	x.Egress = s.network.engine.Counts()
	s.denied.keep()
	s.sink.Settle()
	x.Dropped = int64(s.sink.Dropped)
	s.denied.fill(&x)
	if line := notice.Denied(x.Denied); line != "" && s.Order.Verbose {
		m.say(line)
	}
	if x.Cause == order.CauseOOM {
		m.group.sayMemory(&x, s.Order.NameOf("limits.memory"))
	} else if text := s.guide.lineAtEnd(&x, s.enforced); text != "" && !failed {
		m.say(text)
	}
	if text := s.denied.whyLine(&x, s.sink.Kept(), time.Since(s.guide.released)); text != "" {
		m.say(text)
	}
	s.sink.Last(&x)
	sandbox.Cleanup()
	return x.ExitCode
}

// notExecuted reports a command that the kernel did not execute though it looked executable.
func notExecuted(sandbox *launch.Sandbox, say func(string)) int {
	err := sandbox.Program.ExecError()
	file := sandbox.View.Command
	there := func(path string) bool { return unix.Access(path, unix.F_OK) == nil }
	what := ""
	if slices.Contains([]error{unix.ENOENT, unix.ENOEXEC, unix.EACCES, unix.EINVAL, unix.ELIBBAD}, err) {
		what = diagnose.Unexecutable(file, head(file), runtime.GOARCH, there) // else the file is not why
	}
	say(notice.NotExecuted(file, err, what))
	if err == unix.ENOENT {
		return ending.ExitMissing
	}
	return ending.ExitCannot
}

// head is the beginning of a file; nil for one that cannot be read.
func head(file string) []byte {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	b := make([]byte, diagnose.ExecutableHead)
	n, err := unix.Read(fd, b)
	if err != nil {
		return nil
	}
	return b[:n]
}

// onDenied reports a refused act, and says the first refusal of each act.
func (s *shim) onDenied(d *order.Denied) {
	s.denied.note(d)
	s.sink.Later(d)
	s.denied.retry(&s.sink)
	if s.Order.TellDenied {
		s.sink.TellHost(d)
	}
	if !s.denied.isNew(d) {
		return
	}
	if d.Kind == order.DeniedSyscall {
		s.monitor.say(notice.Refused(d.Syscall, d.Flag))
		return
	}
	text := notice.Network(d, s.network.engine.Ports(d.Host))
	if s.Order.Guided {
		text = notice.InFlags(text)
	}
	s.monitor.say(text)
}
