package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Places in platform.NamespaceNames.
const (
	netNS    = 3
	cgroupNS = 6
)

// namespaces maps the ids of the new user namespace and has init die with the shim. The frame cloned init
// into the namespaces.
//
// An ordinary user's id is mapped to itself, and setgroups is denied, as user_namespaces(7) demands. For a
// root launcher the shim writes the maps, because the server must not have kuid 0, and init changes to the
// mapped user.
func namespaces(b *build) {
	m, names := &b.Machine, platform.NamespaceNames()
	for i, name := range names[:cgroupNS] {
		if !b.hostNet() || i != netNS { // the network row says that it is off
			ns := statNamespace(b, name)
			b.prove(func(c *check) { proveNamespace(c, name, m.Namespaces[i], ns) })
		}
	}
	var deny fileRead
	if m.Root {
		giveUpRoot(b)
	} else {
		rewrite(b, "/proc/self/setgroups", "deny")
		rewrite(b, "/proc/self/uid_map", idMap(m.UID, m.OuterUID))
		rewrite(b, "/proc/self/gid_map", idMap(m.GID, m.OuterGID))
		deny = b.read("/proc/self/setgroups", 16)
	}
	// After the change of ids, which clears it. prctl(2)
	b.Do(sys.Prctl(unix.PR_SET_PDEATHSIG, program.Int(int(unix.SIGKILL))))
	checkParentAlive(b)
	pdeath := b.Space(8)
	b.Ask(sys.Prctl(unix.PR_GET_PDEATHSIG, program.Ref(pdeath)))

	uidMap, gidMap := b.read("/proc/self/uid_map", 256), b.read("/proc/self/gid_map", 256)
	proveIDs := readIDs(b)
	b.fact("pid", "1", b.Ask(sys.Getpid()))
	proveGroups := readGroups(b)
	b.prove(func(c *check) {
		c.fact("uid map", idMap(m.UID, m.OuterUID), c.line(uidMap))
		c.fact("gid map", idMap(m.GID, m.OuterGID), c.line(gidMap))
		proveIDs(c)
		if !m.Root {
			c.fact("setgroups", "deny", c.line(deny))
		}
		proveGroups(c)
		c.fact("signal at the shim's death", "9", c.word32(pdeath))
	})
}

func idMap(inside, outside int) string {
	return strconv.Itoa(inside) + " " + strconv.Itoa(outside) + " 1"
}

// proveNamespace demands another namespace than the shim's own.
func proveNamespace(c *check, name string, own uint64, ns stat) {
	got := c.stat(ns).Ino
	c.factIf(got != 0 && got != own, name, "not "+strconv.FormatUint(own, 10), strconv.FormatUint(got, 10))
}

// cgroupNamespace hides the server's place in the host's hierarchy; cgroup_namespaces(7).
type cgroupNamespace struct{ proc *procMount }

func (r cgroupNamespace) layout(b *build) {
	const name = "cgroup"
	b.Do(sys.Unshare(unix.CLONE_NEWCGROUP))
	ns := statNamespace(b, name)
	b.prove(func(c *check) {
		own := b.Machine.Namespaces[cgroupNS]
		if r.proc.mounted(c) {
			proveNamespace(c, name, own, ns)
			return
		}
		c.lacks(name, "not "+strconv.FormatUint(own, 10), "/proc is empty",
			"the namespace was made; that could not be read back")
	})
}
