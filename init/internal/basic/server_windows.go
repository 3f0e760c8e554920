package basic

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/windows"
)

// killed is the status of a process that was ended by force: SIGKILL's, for a shell and for the report.
const killed = ending.ExitSignal + uint32(windows.SIGKILL)

// release lets the server run.
func (s *server) release() error {
	if _, err := windows.ResumeThread(s.thread); err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "release", Err: err}
	}
	for _, h := range s.handles { // or the reader of the server's output would not see its end
		windows.CloseHandle(h)
	}
	s.handles = nil
	return nil
}

// wait waits for the server's own process.
func (s *server) wait() status {
	var st status
	var code uint32
	if _, err := windows.WaitForSingleObject(s.process, windows.INFINITE); err == nil {
		if windows.GetExitCodeProcess(s.process, &code) == nil {
			st.code = int(code)
		}
	}
	if code == killed {
		st.signal = platform.SignalName(windows.SIGKILL)
	}
	// The system ends a job that has used its time with this status.
	_, timed := s.plan.limits.CPUSeconds(1)
	st.spent = timed && code == uint32(windows.ERROR_NOT_ENOUGH_QUOTA)
	return st
}

// Ask sends CTRL_BREAK, which is what Windows has in SIGTERM's place; a process that does not handle it ends. It reaches only
// who shares a console with the sender. A server that has none cannot be asked and is killed when its grace is over.
func (s *server) Ask(syscall.Signal) {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(s.pid)) == nil {
		return
	}
	if attachConsole(s.pid) == nil {
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(s.pid))
		freeConsole()
	}
}

// Signal does nothing: no signal but those that ask for the end is there.
func (s *server) Signal(syscall.Signal) {}

// account adds what the whole tree has used.
func (s *server) account(st *status) {
	var a accounting
	if askJob(s.inner, windows.JobObjectBasicAccountingInformation, &a) == nil {
		st.cpu = time.Duration(a.user+a.kernel) * 100
	}
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if askJob(s.inner, windows.JobObjectExtendedLimitInformation, &l) == nil {
		st.rss = int64(l.PeakProcessMemoryUsed)
	}
}

// close gives back the handles. With the inner job's its processes end; the outer one stays until the shim's own end.
func (s *server) close() {
	for _, h := range append(s.handles, s.canary, s.thread, s.process, s.inner) {
		if h != 0 {
			windows.CloseHandle(h)
		}
	}
	*s = server{pid: s.pid, outer: s.outer}
}
