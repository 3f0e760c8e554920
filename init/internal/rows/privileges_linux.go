package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// privileges takes away from init, and so from the server, every way to more rights but the capabilities that the last
// rows still need: new user namespaces, the bounding set, what execve could add, and being looked into.
type privileges struct {
	open     program.Op
	limit    reading
	another  program.Op
	bounding []program.Op
	nnp      program.Op
	dump     program.Op
}

const maxUserNamespaces = "/proc/sys/user/max_user_namespaces"

func (r *privileges) ops(b *build) {
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
	r.another = b.AskFor(program.Errno(unix.ENOSPC), unix.SYS_UNSHARE, program.Int(unix.CLONE_NEWUSER))
	b.Here(none)

	zero := program.Int(0)
	for c := 0; c <= b.Machine.LastCap; c++ {
		b.Do(unix.SYS_PRCTL, program.Int(unix.PR_CAPBSET_DROP), program.Int(c), zero, zero, zero)
	}
	for c := 0; c <= b.Machine.LastCap; c++ {
		r.bounding = append(r.bounding, b.Ask(unix.SYS_PRCTL, program.Int(unix.PR_CAPBSET_READ), program.Int(c), zero, zero, zero))
	}
	b.Do(unix.SYS_PRCTL, program.Int(unix.PR_SET_NO_NEW_PRIVS), program.Int(1), zero, zero, zero)
	r.nnp = b.Ask(unix.SYS_PRCTL, program.Int(unix.PR_GET_NO_NEW_PRIVS), zero, zero, zero, zero)
	if b.Machine.Dumpable != 0 {
		b.Do(unix.SYS_PRCTL, program.Int(unix.PR_SET_DUMPABLE), zero, zero, zero, zero)
	}
	r.dump = b.Ask(unix.SYS_PRCTL, program.Int(unix.PR_GET_DUMPABLE), zero, zero, zero, zero)
}

func (r *privileges) check(c *check) {
	if c.Errno(r.open) == 0 {
		c.fact("max_user_namespaces", "0", words(c.text(r.limit)))
		c.fact("a new user namespace", "ENOSPC", c.result(r.another))
	} else {
		c.lacks("max_user_namespaces", "0", "open: "+c.Errno(r.open).Error(), "only the filter refuses new user namespaces")
	}
	left := 0
	for _, o := range r.bounding {
		if !c.Ran(o) || c.Value(o) != 0 {
			left++
		}
	}
	c.fact("bounding set", "0 of "+strconv.Itoa(len(r.bounding)), strconv.Itoa(left)+" of "+strconv.Itoa(len(r.bounding)))
	c.fact("no_new_privs", "1", c.result(r.nnp))
	c.fact("init is dumpable", "0", c.result(r.dump))
}

// permitted drops the capabilities that are left: in the server's process, and in init once that exists.
type permitted struct{ server capabilities }

func (r *permitted) ops(b *build) { r.server = b.dropCapabilities() }

func (r *permitted) check(c *check) {
	c.fact("server's capabilities", none, c.capabilities(r.server))
	c.fact("init's capabilities", none, c.capabilities(c.launch.initCaps))
}

const none = "none"

type capabilities struct {
	op program.Op
	at program.Addr
}

const capVersion3 = 0x20080522 // capget(2)

func (b *build) dropCapabilities() capabilities {
	head := program.Ref(b.Data(program.Raw(capVersion3)))
	b.Do(unix.SYS_CAPSET, head, program.Words(0, 0, 0))
	at := b.Data([]byte("something that is not zero"))
	return capabilities{b.Ask(unix.SYS_CAPGET, head, program.Ref(at)), at}
}

func (c *check) capabilities(k capabilities) string {
	if !c.Ran(k.op) || c.Errno(k.op) != 0 {
		return c.result(k.op)
	}
	if c.Word(k.at)|c.Word(k.at.Plus(8))|c.Word(k.at.Plus(16)) == 0 {
		return none
	}
	return "some"
}
