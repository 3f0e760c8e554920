package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// takeTerminal makes the terminal on standard input the controlling terminal of init's session, and returns
// where the session's number is read back. The terminal has no other session: taking one away takes
// CAP_SYS_ADMIN on the host; tiocsctty(2const).
func (b *build) takeTerminal() program.Addr {
	b.Do(sys.Ioctl(sys.FD(0), unix.TIOCSCTTY, program.Int(0)))
	sid := b.Space(8)
	b.Ask(sys.Ioctl(sys.FD(0), unix.TIOCGSID, program.Ref(sid)))
	return sid
}

// controllingTerminal gives the server's terminal to init's session.
type controllingTerminal struct{ owner program.Addr }

func (r *controllingTerminal) ops(b *build) {
	if b.TTY {
		r.owner = b.takeTerminal()
	}
}

func (r *controllingTerminal) check(c *check) {
	if c.TTY {
		c.fact("session of the terminal", c.initPID(), c.word32(r.owner))
	}
}

// foreground gives a server with a terminal its own process group in init's session, as the terminal's
// foreground group. Its parent must be in another group of the session: in an orphaned group Ctrl-Z does
// nothing; setpgid(2). All signals are blocked, or SIGTTOU of the second call would stop the process.
type foreground struct {
	pid, group program.Op
	front      program.Addr
}

func (r *foreground) ops(b *build) {
	if !b.TTY {
		return
	}
	own := b.Space(8)
	r.front = b.Space(8)
	r.pid = b.Ask(sys.Getpid()).StoreAt(own)
	b.Do(sys.Setpgid(0, 0))
	r.group = b.Ask(sys.Getpgid(0))
	b.Do(sys.Ioctl(sys.FD(0), unix.TIOCSPGRP, program.Ref(own)))
	b.Ask(sys.Ioctl(sys.FD(0), unix.TIOCGPGRP, program.Ref(r.front)))
}

func (r *foreground) check(c *check) {
	if !c.TTY {
		return
	}
	pid := c.result(r.pid)
	c.fact("process group", pid, c.result(r.group))
	c.fact("foreground of the terminal", pid, c.word32(r.front))
}

func (c *check) word32(a program.Addr) string { return strconv.Itoa(int(c.Word32(a))) }

// jobControl is init's part in the job control of a server with a terminal. Without a terminal it does
// nothing.
type jobControl struct {
	*build
	info program.Addr // struct siginfo
}

func (b *build) jobControl() jobControl {
	j := jobControl{build: b}
	if b.TTY {
		j.info = b.Space(siginfoSize)
	}
	return j
}

// continueGroup continues the server's process group after a signal: Ctrl-Z stops the whole group.
func (j jobControl) continueGroup() {
	if j.TTY {
		group := j.Negate(j.launch.server.Result()) // the server leads its group: kill(2)
		j.Call(sys.Kill(group.Result(), program.Int(int(unix.SIGCONT))))
	}
}

// reportStop tells the shim that the server was stopped. waitid(2) returns 0 in both cases; si_signo is 0 if no child
// has changed state.
func (j jobControl) reportStop() {
	if !j.TTY {
		return
	}
	on := new(program.Label)
	tell := new(program.Label)
	j.Step(sys.WaitPID(j.launch.server.Result(), j.info, unix.WSTOPPED|unix.WNOHANG)).Else(on) // ECHILD: it has ended
	j.Load(program.Word(j.info))                                                               // si_signo and si_errno
	j.BranchUnless(program.Int(0), tell)
	j.Jump(on)
	j.Bind(tell)
	j.Call(sys.Write(sys.FD(fdReady), MsgStopped))
	j.Bind(on)
}
