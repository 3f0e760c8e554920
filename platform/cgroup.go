package platform

import (
	"strconv"
	"strings"
)

// ParseCgroup reads the path of a process's group in the unified hierarchy from its /proc/PID/cgroup; cgroups(7). The
// path is relative to the root of the reader's cgroup namespace, and begins with "/.." for a group outside. V1 reports
// whether hierarchies of version 1 have controllers, which the unified one then cannot have. Without a unified
// hierarchy the path is empty.
func ParseCgroup(b []byte) (path string, v1 bool) {
	for line := range strings.Lines(string(b)) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, name, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case id == "0" && controllers == "":
			path = name
		case !strings.HasPrefix(controllers, "name="):
			v1 = true
		}
	}
	return path, v1
}

// A CgroupPlace is where a group of the unified hierarchy can be reached.
type CgroupPlace struct {
	Mount  string // the mount's path
	Folder string // the group's, at or below it
}

// FindCgroup finds a mount that shows the group own, a path of [ParseCgroup]. A mount may show a part of the hierarchy
// only, as a container's does, and a group outside of the namespace only if the mount begins there as well. The result
// is false without such a mount.
func FindCgroup(mounts []Mount, own string) (CgroupPlace, bool) {
	for i := len(mounts) - 1; i >= 0; i-- { // the last one lies on top
		m := &mounts[i]
		if m.Type != "cgroup2" {
			continue
		}
		if rest, ok := inside(own, m.Root); ok {
			return CgroupPlace{Mount: m.Path, Folder: m.Path + rest}, true
		}
	}
	return CgroupPlace{}, false
}

// inside is what leads from root to path, empty or with a slash in front.
func inside(path, root string) (rest string, ok bool) {
	if root == "/" {
		root = ""
	}
	rest, ok = strings.CutPrefix(path, root)
	if rest == "/" {
		rest = ""
	}
	if !ok || rest != "" && rest[0] != '/' || path == "" {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	for part := range strings.SplitSeq(rest[1:], "/") {
		if part == ".." || part == "" { // above the root, whose own name is unknown
			return "", false
		}
	}
	return rest, true
}

// CgroupCount finds the number of a key in a flat keyed file such as memory.events or cpu.stat: one key and one
// number a line.
func CgroupCount(b []byte, key string) (n int64, ok bool) {
	for line := range strings.Lines(string(b)) {
		if name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), " "); found && name == key {
			n, err := strconv.ParseInt(value, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
