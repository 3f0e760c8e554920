package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// takeTerminal makes the terminal on standard input that of init's new session. It cannot be somebody else's: a terminal
// has one session, and taking it away takes CAP_SYS_ADMIN on the host; tiocsctty(2const). The address is where the
// session's number is read back to.
func (b *build) takeTerminal() program.Addr {
	b.Do(unix.SYS_IOCTL, program.Int(0), program.Int(unix.TIOCSCTTY), program.Int(0))
	sid := b.Space(8)
	b.Ask(unix.SYS_IOCTL, program.Int(0), program.Int(unix.TIOCGSID), program.Ref(sid))
	return sid
}

// terminal makes the server's terminal that of init's session.
type terminal struct{ owner program.Addr }

func (r *terminal) ops(b *build) {
	if b.TTY {
		r.owner = b.takeTerminal()
	}
}

func (r *terminal) check(c *check) {
	if c.TTY {
		c.fact("session of the terminal", c.init(), c.word32(r.owner))
	}
}

// foreground gives a server with a terminal a process group of its own in init's session, and the terminal's foreground.
// The group must have its parent in another group of the same session, or the kernel takes it for an orphaned one and
// Ctrl-Z does nothing; setpgid(2). SIGTTOU is blocked, as everything is, or the second call would stop the process.
type foreground struct {
	pid, group program.Op
	front      program.Addr
}

func (r *foreground) ops(b *build) {
	if !b.TTY {
		return
	}
	zero := program.Int(0)
	own := b.Space(8)
	r.front = b.Space(8)
	r.pid = b.Ask(unix.SYS_GETPID).Into(own)
	b.Do(unix.SYS_SETPGID, zero, zero)
	r.group = b.Ask(unix.SYS_GETPGID, zero)
	b.Do(unix.SYS_IOCTL, zero, program.Int(unix.TIOCSPGRP), program.Ref(own))
	b.Ask(unix.SYS_IOCTL, zero, program.Int(unix.TIOCGPGRP), program.Ref(r.front))
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

// A job is what init does for the process group of a server with a terminal. Without a terminal there is none.
type job struct {
	*build
	info program.Addr // struct siginfo
}

// Numbers that package unix does not have.
const (
	pPID       = 1 // P_PID
	fGetOwn    = 9 // F_GETOWN
	ownerGroup = 2 // F_OWNER_PGRP
)

// job makes the server's group the owner of a descriptor: F_GETOWN then says its number as kill(2) wants it, negative,
// which these programs cannot compute.
func (b *build) job() job {
	j := job{build: b}
	if b.TTY {
		j.info = b.Space(128)
		owner := b.Data(program.Raw(ownerGroup)) // struct f_owner_ex, whose second half is the group
		b.launch.server.Into(owner.Plus(4))
		b.Step(unix.SYS_FCNTL, program.Int(fdUp), program.Int(unix.F_SETOWN_EX), program.Ref(owner))
	}
	return j
}

// wake continues the whole group when the server has got a signal: Ctrl-Z stops more than one process.
func (j job) wake() {
	if j.TTY {
		group := j.Any(unix.SYS_FCNTL, program.Int(fdUp), program.Int(fGetOwn), program.Int(0))
		j.Any(unix.SYS_KILL, group.Result(), program.Int(int(unix.SIGCONT)))
	}
}

// stopped tells the shim that the server was stopped. waitid(2) returns 0 either way, which is what si_signo and si_errno
// are together if there is nothing to tell.
func (j job) stopped() {
	if !j.TTY {
		return
	}
	on := new(program.Label)
	tell := new(program.Label)
	j.StepExactly(program.Word(j.info), unix.SYS_WAITID, program.Int(pPID), j.launch.server.Result(), program.Ref(j.info),
		program.Int(unix.WSTOPPED|unix.WNOHANG), program.Int(0)).Else(tell)
	j.Jump(on)
	j.Here(tell)
	j.UnlessOK(on) // ECHILD: it has ended, which is not asked for here
	j.Any(unix.SYS_WRITE, program.Int(fdUp), program.Str(Stopped), program.Int(len(Stopped)))
	j.Here(on)
}

// Stopped is what init tells the shim when a server with a terminal was stopped.
const Stopped = "s"
