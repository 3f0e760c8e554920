package basic

import (
	"errors"
	"os"
	"sort"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/windows"
)

// A server is the process in its jobs.
type server struct {
	pid             int
	plan            *plan
	process, thread windows.Handle
	outer, inner    windows.Handle
	handles         []windows.Handle // that it was given
	canary          windows.Handle   // that it was not
	lost            []order.Fact     // what the system refused to set
	failed          string           // always "": what cannot be started is not started here
}

// start makes the jobs and the server's process in them, which waits for release.
func (h *Hold) start(p *plan) (*server, error) {
	s := &server{plan: p}
	if err := s.make(h); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *server) make(h *Hold) (err error) {
	refused := func(op string, err error) error { return &order.Refusal{Layer: order.Limits, Op: op, Err: err} }
	var outer windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	outer.BasicLimitInformation.LimitFlags = h.Outer
	if s.outer, err = job(&outer); err == nil {
		err = windows.AssignProcessToJobObject(s.outer, windows.CurrentProcess())
	}
	if err != nil {
		return refused("make the outer job", err)
	}
	if s.inner, err = job(&h.Limits); err != nil {
		return refused("make the inner job", err)
	}
	if h.Rate > 0 {
		const enable, hardCap = 1, 4
		s.missing("cpu rate", setJob(s.inner, windows.JobObjectCpuRateControlInformation, &cpuRate{enable | hardCap, h.Rate}),
			"the rate of processor time is not limited")
	}
	if h.UI != 0 {
		s.missing("user interface", setJob(s.inner, windows.JobObjectBasicUIRestrictions, &h.UI), "the clipboard and other programs' windows can be reached")
	}
	if s.canary, err = windows.CreateEvent(inheritable(nil), 1, 0, nil); err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "make a handle", Err: err}
	}
	if err = s.share(); err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "duplicate", Err: err}
	}
	return s.spawn(h)
}

// missing notes what the system would not set.
func (s *server) missing(name string, err error, effect string) {
	if err != nil {
		s.lost = append(s.lost, order.Fact{Name: name, Want: "a limit", Reason: err.Error(), Effect: effect})
	}
}

// share makes handles of the three streams that the server may get.
func (s *server) share() error {
	files := [...]*os.File{os.Stdin, os.Stdout, os.Stderr}
	if s.plan.stdout != nil {
		files[1] = s.plan.stdout
	}
	for _, f := range files {
		var h windows.Handle
		self := windows.CurrentProcess()
		if err := windows.DuplicateHandle(self, windows.Handle(f.Fd()), self, &h, 0, true, windows.DUPLICATE_SAME_ACCESS); err != nil {
			return err
		}
		s.handles = append(s.handles, h)
	}
	return nil
}

// spawn makes the process. Where it cannot be born in the job it is put there before its first instruction: as it is
// suspended, and in the outer job anyway, nothing comes between. A job with restrictions of the user interface cannot be
// nested in every other (AssignProcessToJobObject): then it goes without.
func (s *server) spawn(h *Hold) error {
	app, line, err := s.commandLine()
	if err != nil {
		return err
	}
	dir, err := windows.UTF16PtrFromString(s.plan.dir)
	if err != nil {
		return err
	}
	env, err := environmentBlock(s.plan.env)
	if err != nil {
		return err
	}
	flags := uint32(windows.CREATE_NEW_PROCESS_GROUP)
	switch {
	case hasConsole(): // the server shares it
	case s.plan.subprocess:
		flags |= windows.CREATE_NO_WINDOW
	default: // a console of its own would be another process
		flags |= windows.DETACHED_PROCESS
	}
	pi, err := create(app, line, dir, env, s.handles, s.inner, flags)
	if err == windows.ERROR_ACCESS_DENIED && h.UI != 0 {
		none := uint32(0)
		if setJob(s.inner, windows.JobObjectBasicUIRestrictions, &none) == nil {
			if pi, err = create(app, line, dir, env, s.handles, s.inner, flags); err == nil {
				s.missing("user interface", errors.New("the launcher is in a job in which it cannot be restricted"),
					"the clipboard and other programs' windows can be reached")
			}
		}
	}
	if err == windows.ERROR_NOT_SUPPORTED || err == windows.ERROR_INVALID_PARAMETER {
		if pi, err = create(app, line, dir, env, s.handles, 0, flags); err == nil {
			if err := windows.AssignProcessToJobObject(s.inner, pi.Process); err != nil {
				windows.TerminateProcess(pi.Process, killed)
				return &order.Refusal{Layer: order.Limits, Op: "assign the server to its job", Err: err}
			}
		}
	}
	if err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "start", Path: s.plan.command, Err: &fsview.CommandError{Path: s.plan.command,
			Kind: fsview.ErrNotExecutable, Err: err}}
	}
	s.process, s.thread, s.pid = pi.Process, pi.Thread, int(pi.ProcessId)
	return nil
}

// commandLine is the program and its arguments; for a batch file the program is cmd.exe of the system's own folder.
func (s *server) commandLine() (app, line *uint16, err error) {
	program, text := s.plan.command, ""
	if isBatch(program) {
		if text, err = batchLine(program, s.plan.args[1:]); err != nil {
			return nil, nil, &order.Refusal{Layer: order.Exec, Op: "quote", Path: program, Err: err}
		}
		system, err := windows.GetSystemDirectory()
		if err != nil {
			return nil, nil, err
		}
		program = system + `\cmd.exe`
	} else {
		text = commandLine(s.plan.args)
	}
	if app, err = windows.UTF16PtrFromString(program); err == nil {
		line, err = windows.UTF16PtrFromString(text)
	}
	return app, line, err
}

// environmentBlock is the variables as CreateProcess takes them: sorted without case, each with a NUL behind it, and one more.
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
