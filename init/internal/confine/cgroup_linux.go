package confine

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

// openCgroup opens the group that the shim made for the server, while its path is in the root. The frame clones the
// server's process into the group.
type openCgroup struct {
	noFacts // cgroup compares
	args    *program.Addr
}

// struct clone_args up to the group's descriptor, its last field; clone(2).
const (
	cloneArgsSize  = 88
	cloneArgsGroup = 80
)

func (r *openCgroup) ops(b *build) {
	if !b.Group.Made() {
		return
	}
	*r.args = b.Data(program.Raw(unix.CLONE_INTO_CGROUP, 0, 0, 0, uint64(unix.SIGCHLD), 0, 0, 0, 0, 0, 0))
	open := sys.Openat(sys.CWD, b.Group.Dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	b.Do(open).StoreAt(r.args.Plus(cloneArgsGroup))
}

// cloneServer clones the server's process, into its group before its first instruction.
func (l *Launch) cloneServer(b *build) program.Op {
	clone := sys.Clone(int(unix.SIGCHLD))
	if l.state.cgroup != 0 {
		clone = sys.Clone3(l.state.cgroup, cloneArgsSize)
	}
	return b.Step(clone).Returns(program.Int(0)).Fork()
}

// cgroup compares the group of the server's process, as the process reads it and as the shim does.
type cgroup struct {
	proc       *procMount
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
	if r.proc.mounted(c) {
		self = c.Filled(r.read, r.at)
	}
	c.group(g, self, r.proc.mounted(c))
}

// group compares a group with what the shim read of it and, if there is a /proc, with what the server's process did.
func (c *check) group(g *cgroups.Group, self []byte, proc bool) {
	c.fact("processes", strconv.Itoa(c.Server), g.Members)
	if proc {
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

// distinctEffects are the effects of settings that nothing enforces, each once.
func distinctEffects(settings []cgroups.Setting) string {
	var all []string
	for i := range settings {
		if s := &settings[i]; !strings.HasSuffix(s.File, ".oom.group") && !strings.HasSuffix(s.File, ".swap.max") {
			all = append(all, s.Effect)
		}
	}
	return strings.Join(all, "; ")
}
