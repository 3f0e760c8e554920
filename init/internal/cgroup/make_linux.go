package cgroup

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Make makes a group for a server below the nearest group that allows it.
func Make(r *Request) *Group {
	g := &Group{Settings: r.Settings}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, v1, err := ownGroup()
	if len(controllers(r.Settings)) == 0 {
		err = errors.New(r.Settings[0].Reason)
	}
	if err == nil && !platform.HasClone3() {
		err = errors.New("clone3 is refused here, and only by it a process is born in a control group")
	}
	if err == nil {
		err = g.makeBelowAncestor(r, place, own)
		if err != nil && r.Scope != nil && hasController(place.Mount, r.Settings) {
			err = g.makeInScope(r, err)
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

// makeInScope makes the group in a scope of systemd's. The scope's ancestors belong to systemd, and are not tried. The
// error names ancestorErr too, the reason why no ancestor of the launcher's group served.
func (g *Group) makeInScope(r *Request, ancestorErr error) error {
	if err := r.Scope(r.Own()); err != nil {
		return errors.New(ancestorErr.Error() + "; " + err.Error())
	}
	place, own, _, err := ownGroup()
	if err == nil {
		err = g.makeBelow(r, parentGroup{place.Folder, own}, true)
	}
	if err == nil {
		err = writeSettings(g.server, g.Settings)
	}
	return err
}

// hasController reports whether a cgroup2 mount has a controller that settings need.
func hasController(mount string, settings []Setting) bool {
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

// ownGroup finds this process's group. v1 says that the machine has control groups of version 1.
func ownGroup() (place platform.CgroupPlace, own string, v1 bool, err error) {
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

// errNone says that a group has none of the controllers that the settings need.
var errNone = errors.New("no controller that is needed is delegated to the launcher's control group")

// makeBelowAncestor tries the launcher's group and its ancestors, from the inside to the outside: first those that have
// every needed controller, then those that have some. Last comes the launcher's group with this process moved out of
// that group, which takes the kernel milliseconds.
func (g *Group) makeBelowAncestor(r *Request, place platform.CgroupPlace, own string) error {
	need := controllers(g.Settings)
	all := ancestors(place, own)
	var lastErr error
	var some []int
	try := func(i int, move bool) bool {
		err := g.makeBelow(r, all[i], move)
		if err == nil {
			inheritLimits(g.Settings, all[:i])
			err = writeSettings(g.server, g.Settings)
		}
		if err != nil {
			lastErr = err
		}
		return err == nil
	}
	for i := range all {
		n, err := usableControllers(all[i].dir, need)
		if n == len(need) && try(i, false) {
			return nil
		}
		if n > 0 {
			some = append(some, i)
		} else if lastErr == nil {
			lastErr = err
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
	return lastErr
}

// A parentGroup is a group below which the server's may be made.
type parentGroup struct{ dir, path string } // its folder, and its path in the hierarchy

// ancestors are a group and all groups above it that the mount shows.
func ancestors(place platform.CgroupPlace, own string) (all []parentGroup) {
	dir := place.Folder
	for {
		all = append(all, parentGroup{dir, own})
		if len(dir) <= len(place.Mount) {
			return all
		}
		dir, own = dir[:strings.LastIndexByte(dir, '/')], own[:strings.LastIndexByte(own, '/')]
	}
}

// usableControllers counts the needed controllers that a group has, if this process may make groups below it.
func usableControllers(dir string, need []string) (n int, err error) {
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
