package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// dropIDs gives init, and so the server, the policy's user where no user namespace maps it. A root launcher's
// init gives up root and its groups. Then the last capabilities are dropped.
type dropIDs struct {
	ids    [2]program.Addr
	groups program.Op
	caps   capabilities
	dump   program.Op
}

func (r *dropIDs) ops(b *build) {
	m := &b.Machine
	if m.Root {
		b.giveUpRoot()
	}
	// A change of ids away from 0 takes all but the inheritable ones.
	held := &m.Caps
	r.caps = b.dropCapabilities(held.Inheritable != 0 || !m.Root && held.Effective|held.Permitted != 0)
	zero := program.Int(0)
	// A change of ids or of capabilities may have made it dumpable again; proc_sys_fs(5), suid_dumpable.
	b.Call(sys.Prctl(unix.PR_SET_DUMPABLE, zero))
	r.dump = b.Ask(sys.Prctl(unix.PR_GET_DUMPABLE, zero))
	r.ids = b.ids()
	r.groups = b.Ask(sys.Getgroups(0, 0))
}

func (r *dropIDs) check(c *check) {
	c.ids(r.ids)
	c.fact("init's capabilities before the server", none, c.capabilities(r.caps))
	c.fact("init is dumpable with its ids", "0", c.result(r.dump))
	c.groups(r.groups)
}

// giveUpRoot drops the supplementary groups and changes to the server's ids.
func (b *build) giveUpRoot() {
	if b.Machine.Groups > 0 {
		b.Do(sys.Setgroups(0, 0))
	}
	b.setIDs()
}

func (b *build) setIDs() {
	gid, uid := b.Machine.GID, b.Machine.UID
	b.Do(sys.Setresgid(gid, gid, gid))
	b.Do(sys.Setresuid(uid, uid, uid))
}

// ids reads the three user ids and the three group ids back.
func (b *build) ids() [2]program.Addr {
	uid := b.Space(16)
	b.Ask(sys.Getresuid(uid, uid.Plus(4), uid.Plus(8)))
	gid := b.Space(16)
	b.Ask(sys.Getresgid(gid, gid.Plus(4), gid.Plus(8)))
	return [2]program.Addr{uid, gid}
}

func (c *check) ids(at [2]program.Addr) {
	for i, id := range []int{c.Machine.UID, c.Machine.GID} {
		a := at[i]
		got := threeIDs(c.Word32(a), c.Word32(a.Plus(4)), c.Word32(a.Plus(8)))
		c.fact([]string{"uid", "gid"}[i], strconv.Itoa(id), got)
	}
}

// threeIDs prints the real, the effective and the saved id: once, if they are equal.
func threeIDs(real, effective, saved uint32) string {
	s := strconv.FormatUint(uint64(real), 10)
	if real == effective && effective == saved {
		return s
	}
	return s + " " + strconv.FormatUint(uint64(effective), 10) + " " + strconv.FormatUint(uint64(saved), 10)
}

// groups compares the number of supplementary groups.
func (c *check) groups(got program.Op) {
	if c.Machine.Root {
		c.fact("groups", "0", c.result(got))
		return
	}
	if n := c.Value(got); n != int64(c.Machine.Groups) {
		c.refuse("groups", "", mismatch{strconv.Itoa(c.Machine.Groups), strconv.FormatInt(n, 10)})
	} else if n > 0 {
		c.lacks("groups", "0", "an ordinary user cannot give up its supplementary groups",
			"files that only a group of the launcher may open can be opened inside the grants")
	}
}
