package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// dropIDs gives init, and so the server, the policy's user where no user namespace maps it. A root launcher's
// init gives up root and its groups. Then the last capabilities are dropped.
func dropIDs(b *build) {
	m, zero := &b.Machine, program.Int(0)
	if m.Root {
		giveUpRoot(b)
	}
	// A change of ids away from 0 takes all but the inheritable ones.
	held := &m.Caps
	caps := dropCapabilities(b, held.Inheritable != 0 || !m.Root && held.Effective|held.Permitted != 0)
	// A change of ids or of capabilities may have made it dumpable again; proc_sys_fs(5), suid_dumpable.
	b.Call(sys.Prctl(unix.PR_SET_DUMPABLE, zero))
	dumpable := b.Ask(sys.Prctl(unix.PR_GET_DUMPABLE, zero))
	b.prove(readIDs(b))
	b.prove(func(c *check) { c.fact("init's capabilities before the server", none, caps.left(c)) })
	b.fact("init is dumpable with its ids", "0", dumpable)
	b.prove(readGroups(b))
}

// giveUpRoot drops the supplementary groups and changes to the server's ids.
func giveUpRoot(b *build) {
	if b.Machine.Groups > 0 {
		b.Do(sys.Setgroups(0, 0))
	}
	setIDs(b)
}

func setIDs(b *build) {
	gid, uid := b.Machine.GID, b.Machine.UID
	b.Do(sys.Setresgid(gid, gid, gid))
	b.Do(sys.Setresuid(uid, uid, uid))
}

// readIDs reads the three user ids and the three group ids back, and returns their comparison.
func readIDs(b *build) func(*check) {
	uid := b.Space(16)
	b.Ask(sys.Getresuid(uid, uid.Plus(4), uid.Plus(8)))
	gid := b.Space(16)
	b.Ask(sys.Getresgid(gid, gid.Plus(4), gid.Plus(8)))
	three := func(c *check, a program.Addr) string {
		return threeIDs(c.Word32(a), c.Word32(a.Plus(4)), c.Word32(a.Plus(8)))
	}
	return func(c *check) {
		c.fact("uid", strconv.Itoa(b.Machine.UID), three(c, uid))
		c.fact("gid", strconv.Itoa(b.Machine.GID), three(c, gid))
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

// readGroups reads the number of supplementary groups back, and returns its comparison.
func readGroups(b *build) func(*check) {
	groups, m := b.Ask(sys.Getgroups(0, 0)), &b.Machine
	return func(c *check) {
		n := c.Value(groups)
		switch {
		case m.Root:
			c.fact("groups", "0", c.result(groups))
		case n != int64(m.Groups):
			c.refuse("groups", "", mismatch{strconv.Itoa(m.Groups), strconv.FormatInt(n, 10)})
		case n > 0:
			c.lacks("groups", "0", "an ordinary user cannot give up its supplementary groups",
				"files that only a group of the launcher may open can be opened inside the grants")
		}
	}
}
