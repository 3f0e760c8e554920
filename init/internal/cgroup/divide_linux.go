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

// Names of all groups that this package makes: the prefix, that many letters, and for the group that a launcher moved to
// the suffix. A unit of systemd's never has such a name, for it ends in a dot and its type.
const (
	prefix   = "mcp-sandbox-"
	alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	random   = 10
	suffix   = "-shim"
)

// ours reports whether a name is one of this package's.
func ours(name string) bool {
	id, ok := strings.CutPrefix(strings.TrimSuffix(name, suffix), prefix)
	return ok && len(id) == random && strings.Trim(id, alphabet) == ""
}

// divide makes the server's group below a folder.
func (g *Group) divide(r *Request, dir, path string, need []string, move bool) (err error) {
	g.Settings = append([]Setting(nil), r.Settings...) // what another group refused is forgotten
	if g.base, err = openFolder(unix.AT_FDCWD, dir); err != nil {
		return err
	}
	// Held while the folder is divided: whoever undoes that takes it alone.
	lock, err := g.base.lock(unix.LOCK_SH, time.Now().Add(forLock))
	if err != nil {
		g.Remove()
		return &os.PathError{Op: "flock", Path: dir, Err: err}
	}
	defer unix.Close(lock)
	g.base.sweep()
	if err = g.enable(r, need, move); err == nil {
		err = g.make(r, need)
	}
	if err != nil {
		g.Remove()
		return &os.PathError{Op: "divide", Path: dir, Err: err}
	}
	g.Dir, g.Path = dir+"/"+g.top.name, strings.TrimSuffix(path, "/")+"/"+g.top.name
	if g.server != g.top {
		g.Dir, g.Path = g.Dir+"/"+g.server.name, g.Path+"/"+g.server.name
	}
	return nil
}

// forLock is how long a group's lock is waited for. Whoever has it keeps it for some milliseconds, but for somebody who means
// harm.
const forLock = 2 * time.Second

// lock locks a group's folder, until the descriptor is closed. A folder can be opened, and so locked, by every user of the
// machine; the file that kills a group only by its owner (it is there since Linux 5.14, and not in the root of the hierarchy).
func (f *folder) lock(how int, until time.Time) (int, error) {
	fd, err := unix.Openat(f.fd, "cgroup.kill", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		fd, err = unix.Openat(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	for err == nil {
		switch err = unix.Flock(fd, how|unix.LOCK_NB); {
		case err == nil:
			return fd, nil
		case err == unix.EINTR:
			err = nil
		case err == unix.EWOULDBLOCK && time.Now().Before(until):
			time.Sleep(time.Millisecond)
			err = nil
		default:
			unix.Close(fd)
		}
	}
	return -1, err
}

// enable makes a group give controllers to those below it. That is for a group without processes: the kernel refuses it
// else (EBUSY), or worse, makes the group a threaded one for controllers that can be threaded; cgroups(7). If all that are in it
// are this launch's they move down.
func (g *Group) enable(r *Request, need []string, move bool) error {
	all, err := g.base.read("cgroup.controllers")
	if err != nil {
		return err
	}
	enabled, err := g.base.read("cgroup.subtree_control")
	if err != nil {
		return err
	}
	some, free := false, false
	for _, name := range need {
		if !hasWord(all, name) {
			refused(g.Settings, name, "the "+name+" controller is not delegated")
			continue
		}
		if !hasWord(enabled, name) {
			if !free {
				if err = g.vacate(r, move); err != nil {
					return err
				}
				free = true
			}
			if err = g.base.write("cgroup.subtree_control", "+"+name); err != nil {
				refused(g.Settings, name, "the "+name+" controller cannot be enabled: "+err.Error())
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

// errOccupied is the error of a group that cannot be divided as long as its processes stay. Doctor knows it by its words.
var errOccupied = errors.New("it holds processes that this launch may not move, the host's perhaps, and a group that holds processes gives no controller on")

// vacate demands that there are no processes in the group. The root of the whole hierarchy, which has no type, may have
// them.
func (g *Group) vacate(r *Request, move bool) error {
	if _, err := g.base.read("cgroup.type"); err == unix.ENOENT {
		return nil
	}
	text, err := g.base.read("cgroup.procs")
	if err != nil || text == "" {
		return err
	}
	if !move {
		return errOccupied
	}
	return g.moveDown(r)
}

// moveDown moves this launch's processes out of their group, if nobody else is in it.
func (g *Group) moveDown(r *Request) error {
	mine := r.Own() // first: what has ended by then is in no list
	text, err := g.base.read("cgroup.procs")
	if err != nil {
		return err
	}
	for _, pid := range strings.Fields(text) {
		n, err := strconv.Atoi(pid)
		if err != nil || !slices.Contains(mine, n) {
			return errOccupied
		}
	}
	if g.down, err = g.base.fresh(suffix); err != nil {
		return err
	}
	for _, pid := range mine {
		if err = g.down.write("cgroup.procs", strconv.Itoa(pid)); err != nil && err != unix.ESRCH {
			return err
		}
	}
	return nil
}

// letters is random bytes as a name.
func letters(b []byte) string {
	s := make([]byte, len(b))
	for i, v := range b {
		s[i] = alphabet[v&31]
	}
	return string(s)
}

// makeGroup makes a group below this one. The process's umask may take its owner's rights away, so the mode is set anew.
func (f *folder) makeGroup(name string) error {
	if err := unix.Mkdirat(f.fd, name, 0o755); err != nil {
		return err
	}
	if err := unix.Fchmodat(f.fd, name, 0o755, 0); err != unix.ENOENT { // a sweep has taken it away
		return err
	}
	return nil
}

// fresh makes a group with a name of its own, and locks it. A sweep may take it away in between: then there is another name.
func (f *folder) fresh(end string) (*folder, error) {
	for range 8 {
		var id [random]byte
		if _, err := unix.Getrandom(id[:], unix.GRND_NONBLOCK); err != nil {
			return nil, err
		}
		name := prefix + letters(id[:]) + end
		if err := f.makeGroup(name); err != nil {
			return nil, err
		}
		made, err := openFolder(f.fd, name)
		if err != nil {
			continue
		}
		if unix.Flock(made.fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			kind, err := made.read("cgroup.type")
			if err == nil && kind == "domain" {
				return made, nil
			}
			if err == nil {
				made.close()
				unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
				return nil, errors.New("a group of type " + kind + " takes no process")
			}
		}
		made.close()
	}
	return nil, unix.EAGAIN
}

// make makes the server's group. A root launcher's init has other ids, and may clone into a group only from another below
// one that is its own: so there it gets both in a group that the launcher gives to it; cgroups(7), Delegation.
func (g *Group) make(r *Request, need []string) (err error) {
	if g.top, err = g.base.fresh(""); err != nil {
		return err
	}
	g.server = g.top
	if !r.Root {
		return nil
	}
	for _, name := range need {
		if err := g.top.write("cgroup.subtree_control", "+"+name); err != nil {
			refused(g.Settings, name, "the "+name+" controller cannot be enabled: "+err.Error())
		}
	}
	for _, f := range []struct {
		name string
		to   **folder
	}{{"shim", &g.init}, {"server", &g.server}} {
		if err = g.top.makeGroup(f.name); err != nil {
			return err
		}
		if *f.to, err = openFolder(g.top.fd, f.name); err != nil {
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
