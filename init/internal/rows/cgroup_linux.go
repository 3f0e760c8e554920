package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// cgroupNamespace hides where in the host's hierarchy the server is; cgroup_namespaces(7).
type cgroupNamespace struct{ ino stat }

const cgroupNS = 6 // in platform.NamespaceNames

func (r *cgroupNamespace) ops(b *build) {
	b.Do(unix.SYS_UNSHARE, program.Int(unix.CLONE_NEWCGROUP))
	r.ino = b.namespace("cgroup")
}

func (r *cgroupNamespace) check(c *check) {
	own := strconv.FormatUint(c.Machine.Namespaces[cgroupNS], 10)
	if !c.procMounted() {
		c.lacks("cgroup", "not "+own, "/proc is empty", "the namespace was made; that could not be read back")
		return
	}
	got := strconv.FormatUint(c.stat(r.ino).ino, 10)
	c.shown(got != own && got != "0", "cgroup", "not "+own, got)
}

// cgroup is absent: this version makes no group for the server.
type cgroup struct{}

func (r *cgroup) ops(b *build) {}

func (r *cgroup) check(c *check) {
	c.layer.State = order.Absent
	c.layer.Reason = "this version makes no control group"
	c.layer.Effect = "memory is limited by RLIMIT_DATA for each process, processes by RLIMIT_NPROC; the rate of CPU time is not limited"
	if milli, limited := c.Policy.Limits.CPU.Value(); limited {
		c.lacks("cpu.max", strconv.FormatInt(milli, 10)+"m", c.layer.Reason, "the rate of CPU time is not limited")
	}
}
