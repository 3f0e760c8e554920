package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// plain makes init, and so the server, the user that the policy means where no user namespace maps it: a root launcher's
// gives up root and its groups. Then the last capabilities go.
type plain struct {
	uids   [2]program.Addr
	groups program.Op
	caps   capabilities
	dump   program.Op
}

func (r *plain) ops(b *build) {
	m := &b.Machine
	if m.Root {
		if m.Groups > 0 {
			b.Do(unix.SYS_SETGROUPS, program.Int(0), program.Int(0))
		}
		gid, uid := program.Int(m.GID), program.Int(m.UID)
		b.Do(unix.SYS_SETRESGID, gid, gid, gid)
		b.Do(unix.SYS_SETRESUID, uid, uid, uid)
	}
	// A change of ids away from 0 takes all but the inheritable ones.
	held := &m.Caps
	r.caps = b.dropCapabilities(held.Inheritable != 0 || !m.Root && held.Effective|held.Permitted != 0)
	zero := program.Int(0)
	// A change of ids or of capabilities may have made it dumpable again; proc_sys_fs(5), suid_dumpable.
	b.Any(unix.SYS_PRCTL, program.Int(unix.PR_SET_DUMPABLE), zero, zero, zero, zero)
	r.dump = b.Ask(unix.SYS_PRCTL, program.Int(unix.PR_GET_DUMPABLE), zero, zero, zero, zero)
	for i, nr := range []uintptr{unix.SYS_GETRESUID, unix.SYS_GETRESGID} {
		a := b.Space(16)
		r.uids[i] = a
		b.Ask(nr, program.Ref(a), program.Ref(a.Plus(4)), program.Ref(a.Plus(8)))
	}
	r.groups = b.Ask(unix.SYS_GETGROUPS, program.Int(0), program.Int(0))
}

func (r *plain) check(c *check) {
	m := &c.Machine
	for i, id := range []int{m.UID, m.GID} {
		a := r.uids[i]
		got := [3]uint32{c.Word32(a), c.Word32(a.Plus(4)), c.Word32(a.Plus(8))}
		want := uint32(id)
		c.shown(got == [3]uint32{want, want, want}, []string{"uid", "gid"}[i], strconv.Itoa(id), ids(got))
	}
	c.fact("init's capabilities before the server", none, c.capabilities(r.caps))
	c.fact("init is dumpable with its ids", "0", c.result(r.dump))
	if m.Root {
		c.fact("groups", "0", c.result(r.groups))
	} else if c.Value(r.groups) > 0 {
		c.lacks("groups", "0", "an ordinary user cannot give up its supplementary groups",
			"files that only a group of the launcher may open can be opened inside the grants")
	}
}
