package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// noNewRights takes every way to more rights from init, and so from the server: it empties the bounding set, sets
// no_new_privs, and makes init undumpable. init keeps the capabilities that later rows need.
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
	for c := 0; c <= m.LastCap; c++ {
		if r.ownUserNS || platform.Has(m.Caps.Bounding, c) {
			b.Do(sys.Prctl(unix.PR_CAPBSET_DROP, program.Int(c)))
		}
	}
	reads := make([]program.Op, m.LastCap+1)
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

const maxUserNamespaces = "/proc/sys/user/max_user_namespaces"

// noUserNamespaces forbids new user namespaces by the limit of its own.
func noUserNamespaces(b *build) {
	// The limit is this namespace's own. Without a /proc of its own a sandbox cannot reach it, and the filter alone
	// refuses new user namespaces.
	var none program.Label
	limit := fileRead{at: b.Space(16)}
	open := b.Try(sys.Openat(sys.CWD, maxUserNamespaces, unix.O_RDWR|unix.O_CLOEXEC, 0))
	b.BranchUnlessOK(&none)
	b.Do(sys.Write(open.Result(), "0")).Returns(program.Int(1)).For(maxUserNamespaces)
	limit.op = b.Ask(sys.Pread64(open.Result(), limit.at, 16, 0)).For(maxUserNamespaces)
	b.Do(sys.Close(open.Result())).For(maxUserNamespaces) // or /proc could not be made read-only
	another := b.Ask(sys.Unshare(unix.CLONE_NEWUSER)).Returns(program.Errno(unix.ENOSPC))
	b.Bind(&none)
	b.prove(func(c *check) {
		if e := c.Errno(open); e != 0 {
			c.lacks("max_user_namespaces", "0", "open: "+e.Error(), "only the filter refuses new user namespaces")
			return
		}
		c.fact("max_user_namespaces", "0", c.line(limit))
		c.fact("a new user namespace", "ENOSPC", c.result(another))
	})
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
