package cgroup

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Make makes a group for a server below the nearest group that allows it.
func Make(r *Request) *Group {
	g := &Group{Settings: r.Settings, pid: r.PID}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, v1, err := ownGroup(r.PID)
	need := controllers(r.Settings)
	if len(need) == 0 {
		err = errors.New(r.Settings[0].Reason)
	}
	if err == nil && !platform.HasClone3() {
		err = errors.New("clone3 is refused here, and only by it a process is born in a control group")
	}
	if err == nil {
		all := ancestors(place, own)
		err = eachParent(all, need, func(i int, move bool) error {
			return g.makeLimited(r, all[i], all[:i], move)
		})
		if err != nil && r.Scope != nil {
			if n, _ := countControllers(place.Mount, need); n > 0 {
				err = g.makeInScope(r, err)
			}
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
	place, own, _, err := ownGroup(r.PID)
	if err != nil {
		return err
	}
	return g.makeLimited(r, parentGroup{place.Folder, own}, nil, true)
}

// makeLimited makes the server's group below a parent, with the limits of the groups that the server leaves.
func (g *Group) makeLimited(r *Request, parent parentGroup, left []parentGroup, move bool) error {
	if err := g.makeBelow(r, parent, move); err != nil {
		return err
	}
	inheritLimits(g.Settings, left)
	err := writeSettings(g.server, g.Settings)
	if err != nil {
		g.Remove()
	}
	return err
}

// ownGroup finds a process's group; 0 is this process. v1 says that the machine has control groups of version 1.
func ownGroup(pid int) (place platform.CgroupPlace, own string, v1 bool, err error) {
	name := "self"
	if pid > 0 {
		name = strconv.Itoa(pid)
	}
	b, err := platform.ReadSmall("/proc/"+name+"/cgroup", 64<<10)
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

// eachParent tries the launcher's group and its ancestors, from the inside to the outside, until one serves: first
// those that have every needed controller, then those that have some. Last comes the launcher's group with this
// process moved out of that group, which takes the kernel milliseconds.
func eachParent(all []parentGroup, need []string, try func(i int, move bool) error) error {
	var lastErr error
	var some []int
	for i := range all {
		n, err := usableControllers(all[i].dir, need)
		if n > 0 {
			some = append(some, i)
		} else if lastErr == nil {
			lastErr = err
		}
		if n == len(need) {
			if lastErr = try(i, false); lastErr == nil {
				return nil
			}
		}
	}
	for _, i := range some {
		if lastErr = try(i, false); lastErr == nil {
			return nil
		}
	}
	if len(some) > 0 && some[0] == 0 {
		return try(0, true)
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
	if n, err = countControllers(dir, need); err == nil && n == 0 {
		err = errNone
	}
	if err != nil {
		return 0, err
	}
	for _, name := range []string{"/.", "/cgroup.procs"} {
		if err = unix.Access(dir+name, unix.W_OK); err != nil {
			return 0, &os.PathError{Op: "write", Path: dir, Err: err}
		}
	}
	return n, nil
}

// countControllers counts the needed controllers that a group has.
func countControllers(dir string, need []string) (n int, err error) {
	all, err := platform.ReadSmall(dir+"/cgroup.controllers", 4096)
	for _, name := range need {
		if hasWord(string(all), name) {
			n++
		}
	}
	return n, err
}

func hasWord(list, word string) bool {
	return slices.Contains(strings.Fields(list), word)
}
