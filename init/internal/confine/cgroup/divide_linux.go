package cgroup

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// makeBelow makes the server's group below a parent. With move, this process may leave the parent.
func (g *Group) makeBelow(r *Request, p parentGroup, move bool) (err error) {
	g.Settings = append([]Setting(nil), r.Settings...) // without the reasons of a parent tried before
	need := controllers(g.Settings)
	if g.parent, err = openFolder(unix.AT_FDCWD, p.dir); err != nil {
		return err
	}
	// The shared lock is held until the controllers are enabled: moveUp disables them under the exclusive lock.
	lock, err := g.parent.lock(unix.LOCK_SH, time.Now().Add(lockTimeout))
	if err != nil {
		g.Remove()
		return &os.PathError{Op: "flock", Path: p.dir, Err: err}
	}
	g.parent.removeUnlocked()
	if err = g.enable(r, need, move); err == nil {
		err = g.mkdirs(r, need)
	}
	unix.Close(lock) // moveUp takes it alone
	if err != nil {
		g.Remove()
		return &os.PathError{Op: "divide", Path: p.dir, Err: err}
	}
	g.Dir, g.Path = p.dir+"/"+g.top.name, strings.TrimSuffix(p.path, "/")+"/"+g.top.name
	if g.server != g.top {
		g.Dir, g.Path = g.Dir+"/"+g.server.name, g.Path+"/"+g.server.name
	}
	return nil
}

// enable enables the parent's controllers for its children. For a parent with processes the kernel answers EBUSY, or
// turns it into a threaded group, cgroups(7); so the parent is emptied before.
func (g *Group) enable(r *Request, need []string, move bool) error {
	all, err := g.parent.read("cgroup.controllers")
	if err != nil {
		return err
	}
	enabled, err := g.parent.read("cgroup.subtree_control")
	if err != nil {
		return err
	}
	some, empty := false, false
	for _, name := range need {
		if !hasWord(all, name) {
			markAbsent(g.Settings, name, "the "+name+" controller is not delegated")
			continue
		}
		if !hasWord(enabled, name) {
			if !empty {
				if err = g.emptyParent(r, move); err != nil {
					return err
				}
				empty = true
			}
			if err = g.parent.write("cgroup.subtree_control", "+"+name); err != nil {
				markAbsent(g.Settings, name, "the "+name+" controller cannot be enabled: "+err.Error())
				continue
			}
		}
		some = true
	}
	if !some {
		return err
	}
	return nil
}

// errOccupied says that other programs' processes are in the parent. Doctor recognizes the error by its words.
var errOccupied = errors.New("it holds processes that this launch may not move, the host's perhaps, " +
	"and a group that holds processes gives no controller on")

// emptyParent returns nil if no process is in the parent. With move, it moves this launch's processes to a group
// below the parent, if no other process is there. The root of the hierarchy, which has no cgroup.type, may have
// processes.
func (g *Group) emptyParent(r *Request, move bool) error {
	if _, err := g.parent.read("cgroup.type"); err == unix.ENOENT {
		return nil
	}
	text, err := g.parent.read("cgroup.procs")
	if err != nil || text == "" {
		return err
	}
	if !move || r.Own == nil {
		return errOccupied
	}
	own := r.Own() // before cgroup.procs is read again: a process that ends in between is then in no list
	if text, err = g.parent.read("cgroup.procs"); err != nil {
		return err
	}
	for _, pid := range strings.Fields(text) {
		n, err := strconv.Atoi(pid)
		if err != nil || !slices.Contains(own, n) {
			return errOccupied
		}
	}
	if g.shim, err = g.parent.mkdirLocked(shimSuffix); err != nil {
		return err
	}
	for _, pid := range own {
		if err = g.shim.write("cgroup.procs", strconv.Itoa(pid)); err != nil && err != unix.ESRCH {
			return err
		}
	}
	return nil
}

// mkdirs makes the server's group. A root launcher's init has other ids, and may clone into a group only as owner
// of cgroup.procs of the nearest common ancestor, cgroups(7), "Delegation containment". So init and the server get
// a group each below top, and init's ids own top.
func (g *Group) mkdirs(r *Request, need []string) (err error) {
	if g.top, err = g.parent.mkdirLocked(""); err != nil {
		return err
	}
	g.server = g.top
	if !r.Root {
		return nil
	}
	for _, name := range need {
		if err := g.top.write("cgroup.subtree_control", "+"+name); err != nil {
			markAbsent(g.Settings, name, "the "+name+" controller cannot be enabled: "+err.Error())
		}
	}
	for _, f := range []struct {
		name string
		to   **folder
	}{{"shim", &g.init}, {"server", &g.server}} {
		if *f.to, err = g.top.mkdir(f.name); err != nil {
			return err
		}
	}
	for _, f := range []*folder{g.top, g.server} {
		if err = unix.Fchownat(f.fd, "cgroup.procs", r.UID, r.GID, 0); err != nil {
			return err
		}
	}
	return nil
}
