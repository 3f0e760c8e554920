package rows

import (
	"strconv"
	"strings"

	cgroups "github.com/security-mcp/mcp-sandbox/init/internal/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// cgroupNamespace hides where in the host's hierarchy the server is; cgroup_namespaces(7).
type cgroupNamespace struct{ ino stat }

const cgroupNS = 6 // in platform.NamespaceNames

func (r *cgroupNamespace) ops(b *build) {
	b.Do(sys.Unshare(unix.CLONE_NEWCGROUP))
	r.ino = b.namespace("cgroup")
}

func (r *cgroupNamespace) check(c *check) {
	own := strconv.FormatUint(c.Machine.Namespaces[cgroupNS], 10)
	if !c.procMounted() {
		c.lacks("cgroup", "not "+own, "/proc is empty", "the namespace was made; that could not be read back")
		return
	}
	got := strconv.FormatUint(c.stat(r.ino).ino, 10)
	c.factIf(got != own && got != "0", "cgroup", "not "+own, got)
}

// openCgroup opens the group that the shim made for the server, by its path: the folder is not in the root that is built next.
// The clone of the server's process takes it: the frame's.
type openCgroup struct{ noFacts }

// cloneArgs is struct clone_args up to the group's descriptor, its last field; clone(2).
const (
	cloneArgsSize  = 88
	cloneArgsGroup = 80
)

func (r *openCgroup) ops(b *build) {
	if !b.Group.Made() {
		return
	}
	b.launch.cloneArgs = b.Data(program.Raw(unix.CLONE_INTO_CGROUP, 0, 0, 0, uint64(unix.SIGCHLD), 0, 0, 0, 0, 0, 0))
	b.Do(sys.Openat(sys.CWD, b.Group.Dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)).StoreAt(b.launch.cloneArgs.Plus(cloneArgsGroup))
}

// clone makes the server's process, in its group from the first instruction on.
func (l *Launch) cloneServer(b *build) program.Op {
	zero := program.Int(0)
	if l.cloneArgs == 0 {
		return b.StepExactly(zero, sys.Clone(int(unix.SIGCHLD))).Fork()
	}
	return b.StepExactly(zero, sys.Clone3(l.cloneArgs, cloneArgsSize)).Fork()
}

// cgroup looks where the server's process is: as it sees that itself, and as the group shows it to the shim.
type cgroup struct {
	open, read program.Op
	at         program.Addr
}

func (r *cgroup) ops(b *build) {
	if !b.Group.Made() {
		return
	}
	const size = 8192
	r.open = b.Observe(sys.Openat(sys.CWD, "/proc/self/cgroup", unix.O_RDONLY|unix.O_CLOEXEC, 0))
	r.at = b.Space(size)
	r.read = b.Observe(sys.Read(r.open.Result(), r.at, size))
}

func (r *cgroup) check(c *check) {
	g := c.Group
	switch {
	case g == nil || !g.Made() && g.Reason == "":
		c.layer.State = order.Off
		return
	case !g.Made():
		c.layer.State, c.layer.Reason, c.layer.Effect = order.Absent, g.Reason, distinctEffects(g.Settings)
		return
	}
	var self []byte
	if c.procMounted() {
		self = c.Filled(r.read, r.at)
	}
	c.group(g, self)
}

// group compares a group with what the shim reads of it, and with what the server's process reads of itself, if it has /proc.
func (c *check) group(g *cgroups.Group, self []byte) {
	c.fact("processes", strconv.Itoa(c.Server), g.Members)
	if c.procMounted() {
		got, _ := platform.ParseCgroup(self)
		c.fact("group", g.Path, got)
	}
	for i := range g.Settings {
		s := &g.Settings[i]
		if s.Reason != "" {
			c.lacks(s.Name(), s.Want, s.Reason, s.Effect)
			continue
		}
		name := s.Name()
		if s.Inherited {
			name += " (of the launcher's own group)"
		}
		c.fact(name, s.Want, s.Got)
	}
}

// distinctEffects are what follows from settings that nothing holds, each once.
func distinctEffects(settings []cgroups.Setting) string {
	var all []string
	for i := range settings {
		if s := &settings[i]; !strings.HasSuffix(s.File, ".oom.group") && !strings.HasSuffix(s.File, ".swap.max") {
			all = append(all, s.Effect)
		}
	}
	return strings.Join(all, "; ")
}
