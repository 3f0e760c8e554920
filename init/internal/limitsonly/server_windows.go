package limitsonly

import (
	"errors"
	"os"
	"sort"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/windows"
)

// A server is the process in its jobs.
type server struct {
	plan            *plan
	pid             int
	jobs            jobs
	process, thread windows.Handle
	handles         []windows.Handle // that the server gets: the standard three
	canary          windows.Handle   // inheritable, and not for the server
	failed          string           // why the server was not executed: "", for here its start fails then
}

// killed is the status of a process that was ended by force: SIGKILL's, for a shell and for the report.
const killed = ending.ExitSignal + uint32(windows.SIGKILL)

// start makes the jobs and the server's process in them, which waits for release.
func (s *server) start(stdout *os.File) (err error) {
	l := newLimits(s.plan)
	alterLimits(s.plan, l)
	if op, err := s.jobs.open(l); err != nil {
		return &order.Refusal{Layer: order.Limits, Op: op, Err: err}
	}
	if s.canary, err = windows.CreateEvent(nil, 1, 0, nil); err == nil {
		err = windows.SetHandleInformation(s.canary, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	if err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "make a handle", Err: err}
	}
	for _, f := range [...]*os.File{os.Stdin, stdout, os.Stderr} {
		h, err := copyHandle(windows.CurrentProcess(), windows.Handle(f.Fd()), true)
		if err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "duplicate", Err: err}
		}
		s.handles = append(s.handles, h)
	}
	app, line, err := s.plan.commandLine()
	if err != nil {
		return err
	}
	workdir, err := windows.UTF16PtrFromString(s.plan.workdir)
	if err != nil {
		return err
	}
	env, err := environmentBlock(s.plan.Env)
	if err != nil {
		return err
	}
	return s.create(l, creation{app: app, line: line, dir: workdir, env: env, handles: s.handles, job: s.jobs.inner,
		flags: consoleFlags(s.plan.allowsSubprocess())})
}

// consoleFlags choose the server's console: this process's own, if it has one.
func consoleFlags(subprocess bool) uint32 {
	_, err := windows.GetConsoleCP()
	switch {
	case err == nil:
		return windows.CREATE_NEW_PROCESS_GROUP
	case subprocess:
		return windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	}
	return windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS // a console of its own would be another process
}

// create makes the process. A process that cannot be born in the job is put there before its first instruction:
// suspended, and in the outer job anyway. A job with restrictions of the user interface cannot be nested in
// every other (AssignProcessToJobObject): then these are taken back.
func (s *server) create(l *limits, c creation) error {
	pi, err := c.create()
	if err == windows.ERROR_ACCESS_DENIED && l.ui != 0 {
		none := uint32(0)
		if setJob(s.jobs.inner, windows.JobObjectBasicUIRestrictions, &none) == nil {
			if pi, err = c.create(); err == nil {
				reason := errors.New("the launcher is in a job in which it cannot be restricted")
				s.jobs.refuse("user interface", reason, uiEffect)
			}
		}
	}
	if err == windows.ERROR_NOT_SUPPORTED || err == windows.ERROR_INVALID_PARAMETER {
		c.job = 0
		if pi, err = c.create(); err == nil {
			if err := windows.AssignProcessToJobObject(s.jobs.inner, pi.Process); err != nil {
				windows.TerminateProcess(pi.Process, killed)
				return &order.Refusal{Layer: order.Limits, Op: "assign the server to its job", Err: err}
			}
		}
	}
	if err != nil {
		path := s.plan.command
		return &order.Refusal{Layer: order.Exec, Op: "start", Path: path,
			Err: &fsview.CommandError{Path: path, Kind: fsview.ErrNotExecutable, Err: err}}
	}
	s.process, s.thread, s.pid = pi.Process, pi.Thread, int(pi.ProcessId)
	return nil
}

// commandLine is the program and its arguments. A batch file's program is cmd.exe of the system's own folder.
func (p *plan) commandLine() (app, line *uint16, err error) {
	program, text := p.command, ""
	if isBatch(program) {
		if text, err = batchLine(program, p.Command[1:]); err != nil {
			return nil, nil, &order.Refusal{Layer: order.Exec, Op: "quote", Path: program, Err: err}
		}
		system, err := windows.GetSystemDirectory()
		if err != nil {
			return nil, nil, err
		}
		program = system + `\cmd.exe`
	} else {
		text = windows.ComposeCommandLine(p.Command)
	}
	if app, err = windows.UTF16PtrFromString(program); err == nil {
		line, err = windows.UTF16PtrFromString(text)
	}
	return app, line, err
}

// environmentBlock is the variables as CreateProcess takes them: sorted without case, each with a NUL behind
// it, and one more.
func environmentBlock(env []string) ([]uint16, error) {
	sort.Slice(env, func(i, j int) bool { return strings.ToUpper(env[i]) < strings.ToUpper(env[j]) })
	var block []uint16
	for _, e := range env {
		u, err := windows.UTF16FromString(e)
		if err != nil {
			return nil, err
		}
		block = append(block, u...)
	}
	if len(block) == 0 {
		block = append(block, 0)
	}
	return append(block, 0), nil
}

// release resumes the server.
func (s *server) release() error {
	if _, err := windows.ResumeThread(s.thread); err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "release", Err: err}
	}
	for _, h := range s.handles { // or the reader of the server's output would not see the end
		windows.CloseHandle(h)
	}
	s.handles = nil
	return nil
}

// wait waits for the server's own process.
func (s *server) wait() order.Exited {
	var code uint32
	if _, err := windows.WaitForSingleObject(s.process, windows.INFINITE); err == nil {
		windows.GetExitCodeProcess(s.process, &code)
	}
	x := exited(int(code), "")
	if code == killed {
		x = exited(int(code), platform.SignalName(windows.SIGKILL))
	}
	// The system ends a job that has used its time with this status.
	if _, timed := s.plan.policy.Limits.CPUSeconds(1); timed && code == uint32(windows.ERROR_NOT_ENOUGH_QUOTA) {
		x.Cause = order.CauseCPU
	}
	return x
}

// account adds the resources that the whole tree has used.
func (s *server) account(x *order.Exited) {
	var a accounting
	if queryJob(s.jobs.inner, windows.JobObjectBasicAccountingInformation, &a) == nil {
		x.CPUSeconds = float64(a.user+a.kernel) / 1e7
	}
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if queryJob(s.jobs.inner, windows.JobObjectExtendedLimitInformation, &l) == nil {
		x.MaxRSS = int64(l.PeakProcessMemoryUsed)
	}
}

// Kill ends all processes of the inner job, and returns how many there were.
func (s *server) Kill() int { return s.jobs.kill() }

// Ask sends CTRL_BREAK, the event of Windows in SIGTERM's place; a process that does not handle CTRL_BREAK ends. Only
// processes on the sender's console receive it: a server without a console is killed when its grace is over.
func (s *server) Ask(syscall.Signal) {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(s.pid)) == nil {
		return
	}
	if call("AttachConsole", uintptr(s.pid)) == nil {
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(s.pid))
		call("FreeConsole")
	}
}

// Signal does nothing: Windows has no signal but those that ask for the end.
func (s *server) Signal(syscall.Signal) {}

// close closes the handles. The inner job's processes end with its handle; the outer job stays until the shim's
// own end.
func (s *server) close() {
	for _, h := range append(s.handles, s.canary, s.thread, s.process, s.jobs.inner) {
		if h != 0 {
			windows.CloseHandle(h)
		}
	}
	*s = server{plan: s.plan, pid: s.pid, jobs: jobs{outer: s.jobs.outer}}
}
