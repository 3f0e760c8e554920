package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// subreaper makes init the parent of every orphan below it, where no pid namespace does. So no process of the
// server gets away by forking twice, and wait4 fails with ECHILD once the last has ended;
// pr_set_child_subreaper(2const).
func subreaper(b *build) {
	b.Do(sys.Prctl(unix.PR_SET_CHILD_SUBREAPER, program.Int(1)))
	is := b.Space(8)
	b.Ask(sys.Prctl(unix.PR_GET_CHILD_SUBREAPER, program.Ref(is)))
	b.prove(func(c *check) { c.fact("init is the parent of orphans", "1", c.word32(is)) })
}

// setsid starts a session for the server where it could join init's process group. A server with a terminal
// stays in init's session, and row foreground gives it a group.
func setsid(b *build) {
	if b.TTY {
		return
	}
	b.Do(sys.Setsid())
	own := b.Ask(sys.Getsid(0))
	b.prove(func(c *check) { c.fact("server's session", strconv.Itoa(c.Server), c.result(own)) })
}

// workdir changes to the working directory with the server's ids.
func workdir(b *build) { b.prove(enter(b)) }

// controllingTerminal makes the server's terminal the controlling terminal of init's session. The terminal has no
// other session: taking one away takes CAP_SYS_ADMIN on the host; tiocsctty(2const).
func controllingTerminal(b *build) {
	if !b.TTY {
		return
	}
	b.Do(sys.Ioctl(sys.FD(0), unix.TIOCSCTTY, program.Int(0)))
	sid := b.Space(8)
	b.Ask(sys.Ioctl(sys.FD(0), unix.TIOCGSID, program.Ref(sid)))
	b.prove(func(c *check) { c.fact("session of the terminal", provenInitPID(b.layout, c), c.word32(sid)) })
}

// foreground gives a server with a terminal its own process group in init's session, as the terminal's
// foreground group. Its parent must be in another group of the session: in an orphaned group Ctrl-Z does
// nothing; setpgid(2). All signals are blocked, or SIGTTOU of the second call would stop the process.
func foreground(b *build) {
	if !b.TTY {
		return
	}
	own, front := b.Space(8), b.Space(8)
	pid := b.Ask(sys.Getpid()).StoreAt(own)
	b.Do(sys.Setpgid(0, 0))
	group := b.Ask(sys.Getpgid(0))
	b.Do(sys.Ioctl(sys.FD(0), unix.TIOCSPGRP, program.Ref(own)))
	b.Ask(sys.Ioctl(sys.FD(0), unix.TIOCGPGRP, program.Ref(front)))
	b.prove(func(c *check) {
		c.fact("process group", c.result(pid), c.result(group))
		c.fact("foreground of the terminal", c.result(pid), c.word32(front))
	})
}
