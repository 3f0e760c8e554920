package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// noMoreNamespaces takes away the way to new user namespaces.
type noMoreNamespaces struct {
	open    program.Op
	limit   reading
	another program.Op
}

const maxUserNamespaces = "/proc/sys/user/max_user_namespaces"

func (r *noMoreNamespaces) ops(b *build) {
	// The limit is this namespace's own. Without a /proc of its own a sandbox cannot reach it, and the filter alone
	// refuses new user namespaces.
	none := new(program.Label)
	at := b.Space(16)
	r.limit.at = at
	cwd, path := program.Int(unix.AT_FDCWD), program.Str(maxUserNamespaces)
	r.open = b.Try(unix.SYS_OPENAT, cwd, path, program.Int(unix.O_RDWR|unix.O_CLOEXEC))
	b.UnlessOK(none)
	b.DoExactly(program.Int(1), unix.SYS_WRITE, r.open.Result(), program.Str("0"), program.Int(1)).On(maxUserNamespaces)
	r.limit.op = b.Ask(unix.SYS_PREAD64, r.open.Result(), program.Ref(at), program.Int(16), program.Int(0)).On(maxUserNamespaces)
	b.Do(unix.SYS_CLOSE, r.open.Result()).On(maxUserNamespaces) // or /proc could not be made read-only
	r.another = b.AskFor(program.Errno(unix.ENOSPC), unix.SYS_UNSHARE, program.Int(unix.CLONE_NEWUSER))
	b.Here(none)
}

func (r *noMoreNamespaces) check(c *check) {
	if c.Errno(r.open) == 0 {
		c.fact("max_user_namespaces", "0", words(c.text(r.limit)))
		c.fact("a new user namespace", "ENOSPC", c.result(r.another))
	} else {
		c.lacks("max_user_namespaces", "0", "open: "+c.Errno(r.open).Error(), "only the filter refuses new user namespaces")
	}
}
