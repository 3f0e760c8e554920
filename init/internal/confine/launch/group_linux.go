package launch

import (
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/userbus"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// managerTimeout is how long systemd's user manager may take to make a scope. A launch waits so long for one that
// does not answer, and without a scope is limited by rlimits.
const managerTimeout = 5 * time.Second

// groupRequest is for the server's control group. Only a process that is the launch's own is moved to another group.
func groupRequest(s *Sandbox, processes func() []int) *cgroup.Request {
	m, limits := &s.Machine, &s.launch.Policy.Limits
	settings := cgroup.Settings(limits)
	if rate, limited := limits.IO.Value(); limited {
		settings = append(settings, cgroup.IO(rate, disks(s.View))...)
	}
	r := &cgroup.Request{Settings: settings, Root: m.Root, UID: m.UID, GID: m.GID}
	if s.launch.Process == nil && s.launch.Host.Parent == nil {
		return r
	}
	r.Own = processes
	if parent := s.launch.Host.Parent; parent != nil {
		r.PID = parent.PID
	}
	if uid := unix.Getuid(); uid != 0 {
		r.Scope = func(pids []int) error { return userbus.StartScope(uid, pids, time.Now().Add(managerTimeout)) }
	}
	return r
}

// processes are those of this launch up to now: the runner ends when it has made init.
func (a *Attempt) processes() []int {
	list := []int{unix.Getpid()}
	if parent := a.launch.Host.Parent; parent != nil { // this process is the host, and stays where it is
		list[0] = parent.PID
	}
	if a.Program == nil {
		return list
	}
	_ = a.kept.starter.adopt(a)
	if init := a.Program.Init(); init > 0 {
		list = append(list, init)
	}
	return list
}

// disks are the block devices behind the files of the host that the server sees.
func disks(view *fsview.View) []string {
	var seen []uint64
	var names []string
	add := func(dev uint64) {
		if slices.Contains(seen, dev) {
			return
		}
		seen = append(seen, dev)
		if name, ok := platform.Disk(uint32(dev>>32), uint32(dev)); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var root unix.Stat_t
	if view.HostRoot && unix.Stat("/", &root) == nil {
		add(platform.StatID(&root).Dev)
	}
	for i := range view.Nodes {
		if n := &view.Nodes[i]; n.Kind == fsview.Bind && !n.Device {
			add(n.Dev)
		}
	}
	return names
}
