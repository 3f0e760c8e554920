package cgroup

import (
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// atMost is how long a removal waits for processes to end.
const atMost = 200 * time.Millisecond

// Remove ends whatever is left in the group, removes it, and undoes what was divided for it.
func (g *Group) Remove() {
	if g == nil || g.base == nil {
		return
	}
	if g.top != nil {
		if g.server != g.top {
			g.server.close()
		}
		g.init.close()
		g.base.remove(g.top, time.Now().Add(atMost))
		g.top.close()
	}
	g.moveUp()
	g.base.close()
	g.base, g.top, g.server, g.init, g.down, g.Dir, g.Path = nil, nil, nil, nil, nil, "", ""
}

// moveUp moves this process back to where it was. It has to take the controllers from the groups below first, and so does
// that only if there are none.
func (g *Group) moveUp() {
	if g.down == nil {
		return
	}
	defer g.down.close()
	lock, err := g.base.lock(unix.LOCK_EX, time.Time{})
	if err != nil {
		return
	}
	defer unix.Close(lock)
	for _, name := range g.base.children() {
		if name != g.down.name {
			return
		}
	}
	enabled, err := g.base.read("cgroup.subtree_control")
	if err != nil {
		return
	}
	for _, name := range strings.Fields(enabled) {
		g.base.write("cgroup.subtree_control", "-"+name)
	}
	if g.base.write("cgroup.procs", "0") == nil {
		g.base.remove(g.down, time.Now().Add(atMost))
	}
}

// sweep removes the groups in a folder that nobody holds: their launchers are dead.
func (f *folder) sweep() {
	for _, name := range f.children() {
		if !ours(name) {
			continue
		}
		if left, err := openFolder(f.fd, name); err == nil {
			if unix.Flock(left.fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
				f.remove(left, time.Now().Add(atMost))
			}
			left.close()
		}
	}
}

// remove removes a group and those in it. Most are empty by then; a process in one is killed.
func (f *folder) remove(top *folder, until time.Time) {
	for {
		for _, name := range top.children() {
			unix.Unlinkat(top.fd, name, unix.AT_REMOVEDIR)
		}
		err := unix.Unlinkat(f.fd, top.name, unix.AT_REMOVEDIR)
		if err != unix.EBUSY && err != unix.ENOTEMPTY || time.Now().After(until) {
			return
		}
		top.kill()
		time.Sleep(time.Millisecond)
	}
}

// kill ends every process in a group and in those below it: at once since Linux 5.14, and before that one by one, as often as
// it is called.
func (f *folder) kill() {
	if f.write("cgroup.kill", "1") == nil {
		return
	}
	pids, _ := f.read("cgroup.procs")
	for _, pid := range strings.Fields(pids) {
		if n, err := strconv.Atoi(pid); err == nil && n > 0 && n != unix.Getpid() {
			unix.Kill(n, unix.SIGKILL)
		}
	}
	for _, name := range f.children() {
		if below, err := openFolder(f.fd, name); err == nil {
			below.kill()
			below.close()
		}
	}
}

// children are the groups in a folder.
func (f *folder) children() (names []string) {
	fd, err := unix.Openat(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	platform.EachEntry(fd, func(name string, kind byte) bool {
		if kind == unix.DT_DIR {
			names = append(names, name)
		}
		return true
	})
	return names
}
