package supervise

import (
	"slices"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/userbus"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// forManager is how long systemd's user manager may take to make a scope. A launch waits so long for one that
// does not answer, and without a scope is limited by rlimits.
const forManager = 5 * time.Second

// group is the server's control group while a launch is under way.
type group struct {
	*cgroup.Group
	forks int // has news when the kernel refuses a fork for the first time, or -1
	usage cgroup.Usage
}

// makeGroup makes the server's group, instead of one of an attempt that was given up. Init waits meanwhile, or is not there
// yet.
func (s *shim) makeGroup() {
	s.group.Remove()
	s.group.Group = cgroup.Make(s.groupRequest())
}

func (s *shim) groupRequest() *cgroup.Request {
	m := &s.machine
	settings := cgroup.Settings(&s.policy.Limits)
	if rate, limited := s.policy.Limits.IO.Value(); limited {
		settings = append(settings, cgroup.IO(rate, s.devices())...)
	}
	r := &cgroup.Request{Settings: settings, Own: s.own, Root: m.Root, UID: m.UID, GID: m.GID}
	if uid := unix.Getuid(); uid != 0 {
		r.Scope = func(pids []int) error { return userbus.StartScope(uid, pids, time.Now().Add(forManager)) }
	}
	return r
}

// devices are the block devices behind what the server sees of the host.
func (s *shim) devices() []string {
	var seen []uint64
	add := func(dev uint64) {
		if !slices.Contains(seen, dev) {
			seen = append(seen, dev)
		}
	}
	var root unix.Stat_t
	if s.view.HostRoot && unix.Stat("/", &root) == nil {
		add(platform.StatID(&root).Dev)
	}
	for i := range s.view.Nodes {
		if n := &s.view.Nodes[i]; n.Kind == fsview.Bind && !n.Device {
			add(n.Dev)
		}
	}
	var names []string
	for _, d := range seen {
		if name, ok := platform.Disk(uint32(d>>32), uint32(d)); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// own are the processes of this launch up to now: the runner ends when it has made init.
func (s *shim) own() []int {
	list := []int{unix.Getpid()}
	if s.launch == nil {
		return list
	}
	s.reapRunner()
	if init := s.launch.Init(); init > 0 {
		list = append(list, init)
	}
	return list
}

// leaveGroup removes the group. Everything in it has ended.
func (s *shim) leaveGroup() {
	if s.group.forks >= 0 {
		unix.Close(s.group.forks)
	}
	s.group.Remove()
}

// forksRefused says it once: a server that goes on trying would be news all the time.
func (s *shim) forksRefused() {
	unix.Close(s.group.forks)
	s.group.forks = -1
	s.sources.forks.Remove()
	s.Say("limit of " + strconv.FormatInt(s.group.Limit("pids.max"), 10) + " processes reached")
}

// used reads the usage of all the server's processes off its group.
func (s *shim) used(x *order.Exited) {
	if !s.group.Made() {
		return
	}
	u := s.group.Usage()
	s.group.usage = u
	if u.CPU > 0 {
		x.CPUSeconds = u.CPU.Seconds()
	}
	if u.Refused > 0 && s.group.forks >= 0 {
		s.forksRefused() // too late for the poll
	}
	x.MemoryLimit, x.MemoryPeak, x.ForksRefused = s.group.Limit("memory.max"), u.Peak, u.Refused
}

// killed reports whether the kernel killed the server because it had used up its memory.
func (g *group) killed() bool { return g.usage.Killed > 0 }

// sayMemory says on standard error that the memory was used up.
func (s *shim) sayMemory(x *order.Exited) {
	switch {
	case x.Cause != order.CauseOOM:
	case s.group.usage.AtLimit:
		s.Say("memory limit " + policy.Quantity(x.MemoryLimit).String() + " reached")
	default:
		s.Say("killed because the memory of the machine, or of a control group above the server's, was used up")
	}
}
