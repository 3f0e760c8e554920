package shim

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// group is the server's control group while the server runs.
type group struct {
	*cgroup.Group
	say    func(string)
	denied func(*order.Denied)
	pids   string // as a person wrote limits.pids
	forks  int    // POLLPRI when the kernel refuses a fork for the first time; or -1
	source *loop.Source
	usage  cgroup.Usage
}

// register has the loop wait for a refused fork.
func (g *group) register(l *loop.Loop) {
	g.forks = g.RefusedForks()
	g.source = l.Add(g.forks, unix.POLLPRI, func(int16) { g.onRefusedFork() })
}

// onRefusedFork reports the first refused fork and stops polling; a server may retry endlessly.
func (g *group) onRefusedFork() {
	g.close()
	g.source.Remove()
	g.say(notice.Forks(g.Limit("pids.max"), g.pids))
	g.denied(refusedFork())
}

// refusedFork is a fork beyond limits.pids.
func refusedFork() *order.Denied {
	act := order.Act{Kind: order.DeniedLimit}
	return &order.Denied{Event: "denied", Layer: order.Cgroup, Errno: "EAGAIN", Flag: act.Suggest(), Act: act}
}

func (g *group) close() {
	if g.forks >= 0 {
		unix.Close(g.forks)
		g.forks = -1
	}
}

// read puts the usage of all the server's processes into the last record.
func (g *group) read(x *order.Exited) {
	if !g.Made() {
		return
	}
	g.usage = g.Usage()
	if g.usage.CPU > 0 {
		x.CPUSeconds = g.usage.CPU.Seconds()
	}
	if g.usage.Refused > 0 && g.forks >= 0 {
		g.onRefusedFork() // too late for the poll
	}
	x.MemoryLimit, x.MemoryPeak, x.ForksRefused = g.Limit("memory.max"), g.usage.Peak, g.usage.Refused
}

// killed reports whether the kernel killed the server because it had used up its memory.
func (g *group) killed() bool { return g.usage.Killed > 0 }

// sayMemory says on standard error that the memory was used up. written is the limit's name.
func (g *group) sayMemory(x *order.Exited, written string) {
	if g.usage.AtLimit {
		g.say(notice.Memory(x.MemoryLimit, written))
		return
	}
	g.say(notice.MachineMemory)
}
