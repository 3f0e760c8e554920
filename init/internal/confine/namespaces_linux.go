package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// namespaces maps the ids of the new user namespace and has init die with the shim. The frame cloned init
// into the namespaces.
//
// An ordinary user's id is mapped to itself, and setgroups is denied, as user_namespaces(7) demands. For a
// root launcher the shim writes the maps, because the server must not have kuid 0, and init changes to the
// mapped user.
type namespaces struct {
	ino    [6]stat
	maps   [2]fileRead
	deny   fileRead
	pid    program.Op
	groups program.Op
	ids    [2]program.Addr
	pdeath program.Addr
}

func (r *namespaces) ops(b *build) {
	for i := range r.ino {
		if !b.hostNet() || i != netNamespace {
			r.ino[i] = b.namespace(platform.NamespaceNames()[i])
		}
	}
	m := &b.Machine
	if m.Root {
		b.giveUpRoot()
	} else {
		b.rewrite("/proc/self/setgroups", "deny")
		b.rewrite("/proc/self/uid_map", idMap(m.UID, m.OuterUID))
		b.rewrite("/proc/self/gid_map", idMap(m.GID, m.OuterGID))
		r.deny = b.reading("/proc/self/setgroups", 16)
	}
	// After the change of ids, which clears it. prctl(2)
	b.Do(sys.Prctl(unix.PR_SET_PDEATHSIG, program.Int(int(unix.SIGKILL))))
	b.checkParentAlive()
	r.pdeath = b.Space(8)
	b.Ask(sys.Prctl(unix.PR_GET_PDEATHSIG, program.Ref(r.pdeath)))

	r.maps[0] = b.reading("/proc/self/uid_map", 256)
	r.maps[1] = b.reading("/proc/self/gid_map", 256)
	r.ids = b.ids()
	r.pid = b.Ask(sys.Getpid())
	r.groups = b.Ask(sys.Getgroups(0, 0))
}

const netNamespace = 3

func (r *namespaces) check(c *check) {
	for i, s := range r.ino {
		name := platform.NamespaceNames()[i]
		if c.hostNet() && i == netNamespace {
			continue // the network row says that it is off
		}
		own, got := c.Machine.Namespaces[i], c.stat(s).Ino
		c.factIf(got != 0 && got != own, name, "not "+strconv.FormatUint(own, 10), strconv.FormatUint(got, 10))
	}
	m := &c.Machine
	c.fact("pid", "1", c.result(r.pid))
	c.fact("uid map", foldSpaces(idMap(m.UID, m.OuterUID)), foldSpaces(c.text(r.maps[0])))
	c.fact("gid map", foldSpaces(idMap(m.GID, m.OuterGID)), foldSpaces(c.text(r.maps[1])))
	c.ids(r.ids)
	if !m.Root {
		c.fact("setgroups", "deny", foldSpaces(c.text(r.deny)))
	}
	c.groups(r.groups)
	c.fact("signal at the shim's death", "9", strconv.Itoa(int(c.Word32(r.pdeath))))
}

func idMap(inside, outside int) string {
	return strconv.Itoa(inside) + " " + strconv.Itoa(outside) + " 1"
}

// cgroupNamespace hides the server's place in the host's hierarchy; cgroup_namespaces(7).
type cgroupNamespace struct {
	proc *procMount
	ino  stat
}

const cgroupNS = 6 // in platform.NamespaceNames

func (r *cgroupNamespace) ops(b *build) {
	b.Do(sys.Unshare(unix.CLONE_NEWCGROUP))
	r.ino = b.namespace("cgroup")
}

func (r *cgroupNamespace) check(c *check) {
	own := strconv.FormatUint(c.Machine.Namespaces[cgroupNS], 10)
	if !r.proc.mounted(c) {
		c.lacks("cgroup", "not "+own, "/proc is empty", "the namespace was made; that could not be read back")
		return
	}
	got := strconv.FormatUint(c.stat(r.ino).Ino, 10)
	c.factIf(got != own && got != "0", "cgroup", "not "+own, got)
}
