package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// subreaper makes init the parent of every process of the server's that loses its own, where no pid namespace does:
// so none gets away by forking twice, and when the last has ended wait4 says so; pr_set_child_subreaper(2const).
type subreaper struct{ is program.Addr }

func (r *subreaper) ops(b *build) {
	b.Do(sys.Prctl(unix.PR_SET_CHILD_SUBREAPER, program.Int(1)))
	r.is = b.Space(8)
	b.Ask(sys.Prctl(unix.PR_GET_CHILD_SUBREAPER, program.Ref(r.is)))
}

func (r *subreaper) check(c *check) {
	c.fact("init is the parent of orphans", "1", strconv.Itoa(int(c.Word32(r.is))))
}

// setsid gives the server a session of its own where init's group is within its reach. With a terminal it has to stay
// in init's, and has a group of its own.
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

// workdir goes to the server's working folder, as the user that the server is.
type workdir struct {
	cwd program.Op
	at  program.Addr
}

func (r *workdir) ops(b *build) {
	b.Do(sys.Chdir(b.View.Cwd))
	r.at = b.Space(pathMax)
	r.cwd = b.Ask(sys.Getcwd(r.at, pathMax))
}

func (r *workdir) check(c *check) {
	c.fact("working directory", c.View.Cwd, c.path(r.cwd, r.at))
}
