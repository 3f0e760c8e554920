package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// noNewRights takes every way to more rights from init, and so from the server, by an empty bounding
// set, no_new_privs and an undumpable init. init keeps the capabilities that later rows need.
type noNewRights struct {
	// In a new user namespace every capability set is full. Elsewhere the bounding set can only be emptied with
	// CAP_SETPCAP, and may lack some already.
	ownUserNS bool
}

func (r noNewRights) layout(b *build) {
	zero, m := program.Int(0), &b.Machine
	if r.ownUserNS || platform.Has(m.Caps.Effective, unix.CAP_SETPCAP) {
		r.emptyBoundingSet(b)
	} else {
		b.lacks("bounding set", "empty", "an ordinary user has not got CAP_SETPCAP",
			"no_new_privs alone keeps execve from adding capabilities")
	}
	b.Do(sys.Prctl(unix.PR_SET_NO_NEW_PRIVS, program.Int(1)))
	b.fact("no_new_privs", "1", b.Ask(sys.Prctl(unix.PR_GET_NO_NEW_PRIVS, zero)))
	if m.Dumpable != 0 {
		b.Do(sys.Prctl(unix.PR_SET_DUMPABLE, zero))
	}
	b.fact("init is dumpable", "0", b.Ask(sys.Prctl(unix.PR_GET_DUMPABLE, zero)))
}

func (r noNewRights) emptyBoundingSet(b *build) {
	m := &b.Machine
	for c := 0; c <= m.Caps.Last; c++ {
		if r.ownUserNS || platform.Has(m.Caps.Bounding, c) {
			b.Do(sys.Prctl(unix.PR_CAPBSET_DROP, program.Int(c)))
		}
	}
	reads := make([]program.Op, m.Caps.Last+1)
	for c := range reads {
		reads[c] = b.Ask(sys.Prctl(unix.PR_CAPBSET_READ, program.Int(c)))
	}
	b.prove(func(c *check) {
		left := 0
		for _, o := range reads {
			if !c.Ran(o) || c.Value(o) != 0 {
				left++
			}
		}
		of := " of " + strconv.Itoa(len(reads))
		c.fact("bounding set", "0"+of, strconv.Itoa(left)+of)
	})
}

// noUserNamespaces forbids new user namespaces by the limit of its own. Without a /proc of its own a sandbox cannot
// reach it, and the filter alone refuses new user namespaces.
func noUserNamespaces(b *build) {
	var another program.Op
	lowered := lower(b, "max_user_namespaces", "0", "only the filter refuses new user namespaces", func() {
		another = b.Ask(sys.Unshare(unix.CLONE_NEWUSER)).Returns(program.Errno(unix.ENOSPC))
	})
	b.prove(func(c *check) {
		if lowered(c) {
			c.fact("a new user namespace", "ENOSPC", c.result(another))
		}
	})
}

// fewWatchers leaves the user's other programs most of the 128 watchers that they have together; inotify(7).
func fewWatchers(b *build) {
	lowered := lower(b, "max_inotify_instances", "64", "the server can use up the user's watchers of files", nil)
	b.prove(func(c *check) { lowered(c) })
}

// lower writes a limit of the user namespace, and then has more calls laid. What it returns adds the fact, and reports
// whether the limit could be opened.
func lower(b *build, name, value, effect string, more func()) (lowered func(*check) bool) {
	var none program.Label
	path := "/proc/sys/user/" + name
	limit := fileRead{at: b.Space(16)}
	open := b.Try(sys.Openat(sys.CWD, path, unix.O_RDWR|unix.O_CLOEXEC, 0))
	b.BranchUnlessOK(&none)
	b.Do(sys.Write(open.Result(), value)).Returns(program.Int(len(value))).For(path)
	limit.op = b.Ask(sys.Pread64(open.Result(), limit.at, 16, 0)).For(path)
	b.Do(sys.Close(open.Result())).For(path) // or /proc could not be made read-only
	if more != nil {
		more()
	}
	b.Bind(&none)
	return func(c *check) bool {
		if e := c.Errno(open); e != 0 {
			c.lacks(name, value, "open: "+e.Error(), effect)
			return false
		}
		c.fact(name, value, c.line(limit))
		return true
	}
}

// serverCapabilities drops the last capabilities of the server's process, and compares init's, which the frame drops.
type serverCapabilities struct {
	drop bool // else dropIDs did it
	init *capabilities
}

func (r serverCapabilities) layout(b *build) {
	server := dropCapabilities(b, r.drop)
	b.prove(func(c *check) {
		c.fact("server's capabilities", none, server.left(c))
		c.fact("init's capabilities", none, r.init.left(c))
	})
}

const none = "none"

// capabilities are the three sets of a process as capget(2) read them back.
type capabilities struct {
	op program.Op
	at program.Addr
}

const capVersion3 = 0x20080522 // capget(2)

// dropCapabilities empties the three sets if the process may have capabilities, and reads them back in any case.
func dropCapabilities(b *build, some bool) capabilities {
	head := b.Data(program.Raw(capVersion3))
	if some {
		b.Do(sys.Capset(head, program.Words(0, 0, 0)))
	}
	at := b.Data([]byte("something that is not zero"))
	return capabilities{b.Ask(sys.Capget(head, at)), at}
}

// left says whether the process has capabilities left.
func (k *capabilities) left(c *check) string {
	if !c.succeeded(k.op) {
		return c.result(k.op)
	}
	if c.Word(k.at)|c.Word(k.at.Plus(8))|c.Word(k.at.Plus(16)) == 0 {
		return none
	}
	return "some"
}

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
