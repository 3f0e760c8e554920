package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// noUserNamespaces forbids new user namespaces by the limit of its own.
type noUserNamespaces struct {
	open    program.Op
	limit   fileRead
	another program.Op
}

const maxUserNamespaces = "/proc/sys/user/max_user_namespaces"

func (r *noUserNamespaces) ops(b *build) {
	// The limit is this namespace's own. Without a /proc of its own a sandbox cannot reach it, and the filter alone
	// refuses new user namespaces.
	none := new(program.Label)
	at := b.Space(16)
	r.limit.at = at
	r.open = b.Try(sys.Openat(sys.CWD, maxUserNamespaces, unix.O_RDWR|unix.O_CLOEXEC, 0))
	b.BranchUnlessOK(none)
	b.Do(sys.Write(r.open.Result(), "0")).Returns(program.Int(1)).For(maxUserNamespaces)
	r.limit.op = b.Ask(sys.Pread64(r.open.Result(), at, 16, 0)).For(maxUserNamespaces)
	b.Do(sys.Close(r.open.Result())).For(maxUserNamespaces) // or /proc could not be made read-only
	r.another = b.Ask(sys.Unshare(unix.CLONE_NEWUSER)).Returns(program.Errno(unix.ENOSPC))
	b.Bind(none)
}

func (r *noUserNamespaces) check(c *check) {
	if c.Errno(r.open) == 0 {
		c.fact("max_user_namespaces", "0", foldSpaces(c.text(r.limit)))
		c.fact("a new user namespace", "ENOSPC", c.result(r.another))
	} else {
		c.lacks("max_user_namespaces", "0", "open: "+c.Errno(r.open).Error(),
			"only the filter refuses new user namespaces")
	}
}
