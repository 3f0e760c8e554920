package cgroup

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Remove kills the processes left in the group, removes the group, and moves this process back to where it was.
func (g *Group) Remove() {
	if g == nil || g.parent == nil {
		return
	}
	if g.top != nil {
		if g.server != g.top {
			g.server.close()
		}
		g.init.close()
		g.parent.remove(g.top, time.Now().Add(removeTimeout))
		g.top.close()
	}
	g.moveUp()
	g.parent.close()
	g.parent, g.top, g.server, g.init, g.shim, g.Dir, g.Path = nil, nil, nil, nil, nil, "", ""
}

// moveUp moves this process back into the parent. A group with processes can enable no controller for its children, so
// the controllers are disabled first, and only if no other launch has a group there.
func (g *Group) moveUp() {
	if g.shim == nil {
		return
	}
	defer g.shim.close()
	if g.pid != 0 { // that process ends in there; this one is where it was
		return
	}
	lock, err := g.parent.lock(unix.LOCK_EX, time.Time{})
	if err != nil {
		return
	}
	defer unix.Close(lock)
	for _, name := range g.parent.children() {
		if name != g.shim.name {
			return
		}
	}
	enabled, err := g.parent.read("cgroup.subtree_control")
	if err != nil {
		return
	}
	for _, name := range strings.Fields(enabled) {
		g.parent.write("cgroup.subtree_control", "-"+name)
	}
	if g.parent.write("cgroup.procs", "0") == nil {
		g.parent.remove(g.shim, time.Now().Add(removeTimeout))
	}
}
