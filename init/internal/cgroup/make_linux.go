package cgroup

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Make makes a group for a server, the first time that works of: below an ancestor of this process's own group, below that
// group itself. Both are tried from the inside to the outside, so that no more is divided than need be.
func Make(r *Request) *Group {
	g := &Group{Settings: r.Settings}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, v1, err := here()
	if len(controllers(r.Settings)) == 0 {
		err = errors.New(r.Settings[0].Reason)
	}
	if err == nil && !platform.HasClone3() {
		err = errors.New("clone3 is refused here, and only by it a process is born in a control group")
	}
	if err == nil {
		err = g.below(r, place, own)
		if err != nil && r.Scope != nil && offered(place.Mount, r.Settings) {
			err = g.inScope(r, err)
		}
	}
	if errors.Is(err, errNone) && v1 {
		err = errors.New("the machine's control groups of version 1 have the controllers, and no safe delegation")
	}
	if err != nil {
		g.Remove()
		g.Reason = err.Error()
	}
	return g
}

// inScope makes the group in a scope of systemd's, and nowhere else: the groups above are the manager's. That it could not
// is told with why nothing else could be divided.
func (g *Group) inScope(r *Request, why error) error {
	if err := r.Scope(r.Own()); err != nil {
		return errors.New(why.Error() + "; " + err.Error())
	}
	place, own, _, err := here()
	if err == nil {
		err = g.divide(r, place.Folder, own, controllers(g.Settings), true)
	}
	if err == nil {
		err = g.fill()
	}
	return err
}

// offered reports whether a mount has any controller at all that settings need.
func offered(mount string, settings []Setting) bool {
	b, err := platform.ReadSmall(mount+"/cgroup.controllers", 4096)
	if err != nil {
		return false
	}
	for _, name := range controllers(settings) {
		if hasWord(string(b), name) {
			return true
		}
	}
	return false
}

// here finds this process's own group.
func here() (place platform.CgroupPlace, own string, v1 bool, err error) {
	b, err := platform.ReadSmall("/proc/self/cgroup", 64<<10)
	if err != nil {
		return place, "", false, err
	}
	own, v1 = platform.ParseCgroup(b)
	if own == "" {
		return place, "", v1, errors.New("this machine has control groups of version 1 only, or none")
	}
	if b, err = platform.ReadSmall("/proc/self/mountinfo", 8<<20); err != nil {
		return place, "", v1, err
	}
	mounts, err := platform.ParseMountinfo(b)
	if err != nil {
		return place, "", v1, err
	}
	place, found := platform.FindCgroup(mounts, own)
	if !found {
		err = errors.New("no mount shows the launcher's own control group " + own)
	}
	return place, own, v1, err
}

// errNone is the error of a group that has none of the controllers that are needed.
var errNone = errors.New("no controller that is needed is delegated to the launcher's control group")

// below tries the launcher's own group and all above it: the nearest that gives all that is wanted, or else something. Last
// comes the own group with this launch moved out of it, which takes the kernel milliseconds.
func (g *Group) below(r *Request, place platform.CgroupPlace, own string) error {
	need := controllers(g.Settings)
	dirs, paths := ancestors(place, own)
	var why error
	var some []int
	try := func(i int, move bool) bool {
		err := g.divide(r, dirs[i], paths[i], need, move)
		if err == nil {
			g.lower(dirs[:i])
			err = g.fill()
		}
		if err != nil {
			why = err
		}
		return err == nil
	}
	for i := range dirs {
		n, err := divisible(dirs[i], need)
		if n == len(need) && try(i, false) {
			return nil
		}
		if n > 0 {
			some = append(some, i)
		} else if why == nil {
			why = err
		}
	}
	for _, i := range some {
		if try(i, false) {
			return nil
		}
	}
	if len(some) > 0 && some[0] == 0 && try(0, true) {
		return nil
	}
	return why
}

// ancestors are the folder and the path of a group and of all above it that the mount shows.
func ancestors(place platform.CgroupPlace, own string) (dirs, paths []string) {
	dir := place.Folder
	for {
		dirs, paths = append(dirs, dir), append(paths, own)
		if len(dir) <= len(place.Mount) {
			return dirs, paths
		}
		dir, own = dir[:strings.LastIndexByte(dir, '/')], own[:strings.LastIndexByte(own, '/')]
	}
}

// divisible counts the controllers that a group could give to groups below it. Whether it will is the kernel's to say.
func divisible(dir string, need []string) (n int, err error) {
	f, err := openFolder(unix.AT_FDCWD, dir)
	if err != nil {
		return 0, err
	}
	defer f.close()
	all, err := f.read("cgroup.controllers")
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: dir + "/cgroup.controllers", Err: err}
	}
	for _, name := range need {
		if hasWord(all, name) {
			n++
		}
	}
	if n == 0 {
		return 0, errNone
	}
	for _, name := range []string{".", "cgroup.procs"} {
		if err = unix.Faccessat(f.fd, name, unix.W_OK, 0); err != nil {
			return 0, &os.PathError{Op: "write", Path: dir, Err: err}
		}
	}
	return n, nil
}

func hasWord(list, word string) bool {
	return slices.Contains(strings.Fields(list), word)
}
