package trialcalls

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// Deadly finds out for which of these calls an outer filter kills the caller, as systemd's SystemCallFilter=
// does without an errno. The calls get arguments that no kernel takes; a filter is asked before the kernel
// looks at them. The thread must be locked, as for program.Start.
func Deadly(calls []uintptr) (deadly []uintptr, err error) {
	// All in one process. If it survives, as it mostly does, no call kills.
	_, st, err := execute(func(p *program.Builder) {
		for _, nr := range calls {
			p.Call(program.Sys(nr, nonsense()...))
		}
	})
	if err != nil || !st.Signaled() {
		return nil, err
	}
	status := make([]program.Addr, len(calls))
	r, _, err := execute(func(p *program.Builder) {
		for i, nr := range calls {
			status[i] = inChild(p, func() { p.Call(program.Sys(nr, nonsense()...)) })
		}
	})
	if err != nil {
		return nil, err
	}
	for i, nr := range calls {
		if unix.WaitStatus(r.Word32(status[i])).Signaled() {
			deadly = append(deadly, nr)
		}
	}
	return deadly, nil
}

func nonsense() []program.Arg {
	all := make([]program.Arg, 6)
	for i := range all {
		all[i] = program.Int(-1)
	}
	return all
}

// inChild lays calls out in a child that exits at once, and returns where its wait status will be.
func inChild(p *program.Builder, calls func()) (status program.Addr) {
	var parent program.Label
	p.Step(sys.Clone(int(unix.SIGCHLD))).Returns(program.Int(0)).Fork().Else(&parent)
	calls()
	p.Call(sys.ExitGroup(0))
	p.Bind(&parent)
	status = p.Space(8)
	p.Call(sys.Wait4(-1, status, 0))
	return status
}

// execute runs a program in a new process, to its end.
func execute(layout func(*program.Builder)) (*program.Results, unix.WaitStatus, error) {
	fd, mem, err := program.Open()
	if err != nil {
		return nil, 0, err
	}
	defer unix.Munmap(mem)
	defer unix.Close(fd)
	p := program.New(mem)
	layout(p)
	p.Call(sys.ExitGroup(0))
	pid, err := program.Start([]int{-1, -1, -1, fd}, -1)
	if err != nil {
		return nil, 0, err
	}
	var st unix.WaitStatus
	for {
		if _, err = unix.Wait4(pid, &st, 0, nil); err != unix.EINTR {
			return p.Copy(), st, err
		}
	}
}
