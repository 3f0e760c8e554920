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
	bounding  []program.Op
	nnp       program.Op
	dump      program.Op
}

func (r *noNewRights) canEmpty(m *Machine) bool {
	return r.ownUserNS || platform.Has(m.Caps.Effective, unix.CAP_SETPCAP)
}

func (r *noNewRights) ops(b *build) {
	zero := program.Int(0)
	last := -1
	if r.canEmpty(&b.Machine) {
		last = b.Machine.LastCap
	}
	for c := 0; c <= last; c++ {
		if r.ownUserNS || platform.Has(b.Machine.Caps.Bounding, c) {
			b.Do(sys.Prctl(unix.PR_CAPBSET_DROP, program.Int(c)))
		}
	}
	for c := 0; c <= last; c++ {
		r.bounding = append(r.bounding, b.Ask(sys.Prctl(unix.PR_CAPBSET_READ, program.Int(c))))
	}
	b.Do(sys.Prctl(unix.PR_SET_NO_NEW_PRIVS, program.Int(1)))
	r.nnp = b.Ask(sys.Prctl(unix.PR_GET_NO_NEW_PRIVS, zero))
	if b.Machine.Dumpable != 0 {
		b.Do(sys.Prctl(unix.PR_SET_DUMPABLE, zero))
	}
	r.dump = b.Ask(sys.Prctl(unix.PR_GET_DUMPABLE, zero))
}

func (r *noNewRights) check(c *check) {
	left := 0
	for _, o := range r.bounding {
		if !c.Ran(o) || c.Value(o) != 0 {
			left++
		}
	}
	if r.canEmpty(&c.Machine) {
		of := " of " + strconv.Itoa(len(r.bounding))
		c.fact("bounding set", "0"+of, strconv.Itoa(left)+of)
	} else {
		c.lacks("bounding set", "empty", "an ordinary user has not got CAP_SETPCAP",
			"no_new_privs alone keeps execve from adding capabilities")
	}
	c.fact("no_new_privs", "1", c.result(r.nnp))
	c.fact("init is dumpable", "0", c.result(r.dump))
}

// serverCapabilities drops the last capabilities of the server's process, and compares init's, which the frame drops.
type serverCapabilities struct {
	drop   bool // else dropIDs did it
	server capabilities
	init   *capabilities
}

func (r *serverCapabilities) ops(b *build) { r.server = b.dropCapabilities(r.drop) }

func (r *serverCapabilities) check(c *check) {
	c.fact("server's capabilities", none, c.capabilities(r.server))
	c.fact("init's capabilities", none, c.capabilities(*r.init))
}

const none = "none"

type capabilities struct {
	op program.Op
	at program.Addr
}

const capVersion3 = 0x20080522 // capget(2)

// dropCapabilities empties the three sets if the process may have capabilities, and reads them back in any case.
func (b *build) dropCapabilities(some bool) capabilities {
	head := b.Data(program.Raw(capVersion3))
	if some {
		b.Do(sys.Capset(head, program.Words(0, 0, 0)))
	}
	at := b.Data([]byte("something that is not zero"))
	return capabilities{b.Ask(sys.Capget(head, at)), at}
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
