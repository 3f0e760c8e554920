package layers

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// openCgroup opens the group that the shim made for the server, while its path is in the root. The frame clones the
// server's process into the group. Row cgroupLimits compares.
type openCgroup struct{ args *program.Addr }

// struct clone_args up to the group's descriptor, its last field; clone(2).
const (
	cloneArgsSize  = 88
	cloneArgsGroup = 80
)

func (r openCgroup) layout(b *build) {
	if !b.Group.Made() {
		return
	}
	*r.args = b.Data(program.Raw(unix.CLONE_INTO_CGROUP, 0, 0, 0, uint64(unix.SIGCHLD), 0, 0, 0, 0, 0, 0))
	open := sys.Openat(sys.CWD, b.Group.Dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	b.Do(open).StoreAt(r.args.Plus(cloneArgsGroup))
}

// cloneServer clones the server's process, into its group before its first instruction.
func cloneServer(b *build, args program.Addr) program.Op {
	clone := sys.Clone(int(unix.SIGCHLD))
	if args != 0 {
		clone = sys.Clone3(args, cloneArgsSize)
	}
	return b.Step(clone).Returns(program.Int(0)).Fork()
}

// cgroupLimits proves the group of the server's process and its limits: memory.max, pids.max, cpu.max and io.max.
type cgroupLimits struct{ proc *procMount }

func (r cgroupLimits) layout(b *build) {
	g := b.Group
	switch {
	case g == nil || !g.Made() && g.Reason == "":
		b.prove(func(c *check) { c.set(order.Off, "", "") })
		return
	case !g.Made():
		b.prove(func(c *check) { c.set(order.Absent, g.Reason, distinctEffects(g.Settings)) })
		return
	}
	_, self := b.observe("/proc/self/cgroup", 8192)
	b.prove(func(c *check) {
		proveMembers(c, g, r.proc.mounted(c), c.bytesOf(self))
		proveCgroupLimits(c, g.Settings)
	})
}

// proveMembers demands that the server's process is alone in the group, by the group's list and, if there is a /proc,
// by the process's own /proc/self/cgroup.
func proveMembers(c *check, g *cgroup.Group, proc bool, self []byte) {
	c.fact("processes", strconv.Itoa(c.Server), c.Group.Members)
	if proc {
		got, _ := platform.ParseCgroup(self)
		c.fact("group", g.Path, got)
	}
}

// proveCgroupLimits compares each limit with the value that the shim read in the group's file.
func proveCgroupLimits(c *check, limits []cgroup.Setting) {
	for i := range limits {
		s := &limits[i]
		if s.Reason != "" {
			c.lacks(s.Name(), s.Want, s.Reason, s.Effect)
			continue
		}
		name := s.Name()
		if s.Inherited {
			name += " (of the launcher's own group)"
		}
		c.fact(name, s.Want, c.Group.Values[i])
	}
}

// distinctEffects are the effects of settings that nothing enforces, each once.
func distinctEffects(settings []cgroup.Setting) string {
	var all []string
	for i := range settings {
		if s := &settings[i]; !strings.HasSuffix(s.File, ".oom.group") && !strings.HasSuffix(s.File, ".swap.max") {
			all = append(all, s.Effect)
		}
	}
	return strings.Join(all, "; ")
}
