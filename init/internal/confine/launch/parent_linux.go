package launch

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Parent is a process that a Go host starts, which clones init and stays. It is made before its launch, and can make
// one attempt; [layers.NewHosted] has what it does.
type Parent struct {
	Told

	layout *layers.Layout
	memory []byte
	begun  bool      // the parent clones init
	failed error     // of a launch that was given up while the parent did
	early  []message // of init, which may be ahead of the parent
}

// Files are what the parent is started with: the program, and the other end of the socket. They are the caller's.
type Files struct{ Program, Ready int }

// NewParent makes the program and the socket of a parent.
func NewParent(p *policy.Policy) (_ *Parent, files Files, err error) {
	fd, mem, err := program.Open()
	if err != nil {
		return nil, files, err
	}
	pipes := Pipes{-1, -1, -1, false}
	ready, err := pipes.openReady()
	x := &Parent{Told: Told{FD: -1, socket: pipes.Ready}, layout: layers.NewHosted(mem, p), memory: mem}
	if err != nil {
		closeAll([]int{fd, ready})
		x.Close()
		return nil, files, err
	}
	return x, Files{fd, ready}, nil
}

// Close closes the files of the parent in this process. The launch has ended.
func (p *Parent) Close() {
	closeAll([]int{p.socket, p.FD})
	p.socket, p.FD = -1, -1
	for _, m := range p.early {
		closeAll(m.carried)
	}
	_ = unix.Munmap(p.memory)
	p.memory = nil
}

// Execute has the parent become another process by execve. Its init has ended.
func (p *Parent) Execute(argv, env []string, files [layers.ShimFiles]int, asks func(unix.Signal) bool) error {
	if !p.layout.Execute(argv, env) {
		return program.ErrFull
	}
	if err := p.tell(layers.ParentExecutes, 0, files[:]...); err != nil {
		return err
	}
	if p.PID == 0 { // nothing was read of the parent
		return nil
	}
	// A signal of which the parent has written until then would be lost.
	for p.await(unix.Poll, func() bool { return p.leaves }); p.FD >= 0; {
		sig := p.TakeFirst(asks)
		if sig == 0 {
			break
		}
		_ = unix.PidfdSendSignal(p.FD, sig, nil, 0)
	}
	return nil
}

func (p *Parent) start(a *Attempt, _ []int) error {
	a.Program, a.Pipes = p.layout, Pipes{-1, p.socket, -1, true}
	theirs, err := a.Pipes.openPipes()
	defer closeAll(theirs[:])
	if err != nil {
		return err
	}
	if hook := a.launch.Hooks.Program; hook != nil {
		hook(a.Program, false)
	}
	err = p.tell(layers.ParentClones, 0, theirs[:]...)
	p.begun = err == nil
	return err
}

// adopt waits until init is there. Init may be ahead of the parent: its messages are kept.
func (p *Parent) adopt(a *Attempt) error {
	for !p.cloned && p.failed == nil {
		if p.failed = a.await(p.socket); p.failed != nil {
			break
		}
		m, err := readMessage(p.socket)
		if err != nil {
			return a.failed(err)
		}
		if !p.take(&m) {
			p.early = append(p.early, m)
		}
	}
	if p.failed != nil {
		return p.failed
	}
	if p.layout.Init() > 0 {
		return nil
	}
	return refusedStart("clone", errReaped)
}

// reap waits for init's end, which the parent tells.
func (p *Parent) reap(s *Sandbox) (st unix.WaitStatus, ru unix.Rusage, err error) {
	p.await(s.launch.Interrupt.Poll, func() bool { return p.reaped })
	if !p.reaped {
		return 0, ru, unix.ECHILD
	}
	return 0, layers.InitUsage(p.layout), nil
}

// await reads messages until there is nothing more to wait for. The parent, init and the server's process have the
// other end of the socket: where all have ended nothing comes.
func (p *Parent) await(poll func([]unix.PollFd, int) (int, error), done func() bool) {
	for !done() && !p.ended {
		fds := []unix.PollFd{{Fd: int32(p.socket), Events: unix.POLLIN}, {Fd: int32(p.FD), Events: unix.POLLIN}}
		if _, err := poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		if fds[0].Revents == 0 {
			p.ended = fds[1].Revents != 0
			continue
		}
		m, err := readMessage(p.socket)
		if err != nil {
			p.ended = true
			return
		}
		if !p.take(&m) {
			closeAll(m.carried)
		}
	}
}

// end waits, for a launch that is given up, until it is known whether there is an init.
func (p *Parent) end(a *Attempt) {
	if p.begun {
		p.await(a.launch.Interrupt.Poll, func() bool { return p.cloned })
	}
}

// LetGo has the parent close its standard streams, and tell of the packets of sockets, of which there are none or
// [layers.ParentSockets]. From now on the parent alone tells of init's end: this process keeps no descriptor of either.
func LetGo(s *Sandbox, sockets []int) error {
	p := s.launch.Host.Parent
	if err := p.tell(layers.ParentLetsGo, uint64(min(len(sockets), 1)), sockets...); err != nil {
		return err
	}
	closeAll([]int{p.FD, s.Init.FD})
	p.FD, s.Init.FD = -1, -1
	return nil
}

// Over reports whether init has ended.
func (p *Parent) Over() bool { return p.reaped || p.ended }

// Look finds out whether the parent has ended, for where another process keeps the other end of the socket.
func (p *Parent) Look() { p.ended = p.ended || p.gone() }

// gone reports whether the parent has ended.
func (p *Parent) gone() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, p.PID, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == unix.ECHILD || err == nil && info.Signo != 0
}

// kill kills init, whose number is no other process's while the parent lives, which has not reaped it.
func (p *Parent) kill(init int) {
	fd, err := unix.PidfdOpen(init, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if !p.gone() {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

var errReaped = errors.New("its processes ended")

// Check is an error where the parent has ended: init dies with it. While the parent lives init's number is no other
// process's. The parent's end is asked of the kernel: /proc may hide init, which is not dumpable.
func (p *Parent) Check() error {
	if p.gone() {
		return refusedStart("start", os.ErrProcessDone)
	}
	return nil
}
