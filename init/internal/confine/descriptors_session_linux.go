package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// subreaper makes init the parent of every orphan below it, where no pid namespace does. So no process of the
// server gets away by forking twice, and wait4 fails with ECHILD once the last has ended;
// pr_set_child_subreaper(2const).
type subreaper struct{ is program.Addr }

func (r *subreaper) ops(b *build) {
	b.Do(sys.Prctl(unix.PR_SET_CHILD_SUBREAPER, program.Int(1)))
	r.is = b.Space(8)
	b.Ask(sys.Prctl(unix.PR_GET_CHILD_SUBREAPER, program.Ref(r.is)))
}

func (r *subreaper) check(c *check) {
	c.fact("init is the parent of orphans", "1", strconv.Itoa(int(c.Word32(r.is))))
}

// setsid starts a session for the server where it could join init's process group. A server with a terminal
// stays in init's session, and row foreground gives it a group.
type setsid struct{ own program.Op }

func (r *setsid) ops(b *build) {
	if b.TTY {
		return
	}
	b.Do(sys.Setsid())
	r.own = b.Ask(sys.Getsid(0))
}

func (r *setsid) check(c *check) {
	if !c.TTY {
		c.fact("server's session", strconv.Itoa(c.Server), c.result(r.own))
	}
}

// workdir changes to the working directory with the server's ids.
type workdir struct{ cwd fileRead }

func (r *workdir) ops(b *build) { r.cwd = b.enter(b.View.Cwd) }

func (r *workdir) check(c *check) { c.fact("working directory", c.View.Cwd, c.path(r.cwd)) }
