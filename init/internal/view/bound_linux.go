package view

import (
	"errors"
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Bounds on the work that other programs' sockets can make for a launch. Beyond them the server gets no socket of the family.
const (
	maxBound    = 4096  // sockets on the file systems of the grants
	maxCovered  = 64    // of them inside the grants; each is a mount, and a folder to watch
	maxSearched = 10000 // folders that are listed for sockets whose names lead nowhere
)

// A covering finds where bound sockets are, and covers those that are shown. Their names are what bind(2) was told, and may
// be relative, of another root, or no longer true: the inode tells, and what no name leads to is searched for.
type covering struct {
	*planner
	shown   []string // folders
	mounts  []platform.Mount
	lost    map[uint32]bool // inodes
	covered int
}

func (c *covering) all(bound []platform.BoundSocket) {
	if devs, err := c.fileSystems(); err == nil { // else all of them may lie there
		bound = slices.DeleteFunc(bound, func(s platform.BoundSocket) bool { return !slices.Contains(devs, s.Dev) })
	}
	if len(bound) > maxBound {
		c.noUnix(c.shown[0], "more sockets are bound on its file system than are looked at")
		return
	}
	for i := range bound {
		c.named(&bound[i])
	}
	if len(c.lost) > 0 {
		c.search()
	}
	if c.covered > maxCovered {
		c.noUnix(c.shown[0], "more sockets lie in the grants than are covered")
	}
}

func (c *covering) noUnix(grant, why string) { c.v.Sockets = Sockets{Grant: grant, Why: why} }

// fileSystems are the devices of those that lie at or below the folders. On btrfs stat(2) tells another one than
// sock_diag(7) and mountinfo.
func (c *covering) fileSystems() (devs []uint64, err error) {
	b, err := platform.ReadSmall("/proc/self/mountinfo", 8<<20)
	if err != nil {
		return nil, err
	}
	if c.mounts, err = platform.ParseMountinfo(b); err != nil {
		return nil, err
	}
	for _, f := range c.shown {
		on := c.mountOf(f)
		if on == nil {
			return nil, errors.ErrUnsupported // a root that is no mount
		}
		devs = append(devs, on.Number(), c.points[f].entry.dev)
		for i := range c.mounts {
			if m := &c.mounts[i]; below(m.Path, f) {
				devs = append(devs, m.Number())
			}
		}
	}
	return devs, nil
}

// mountOf is the mount that a path lies in.
func (c *covering) mountOf(path string) (on *platform.Mount) {
	for i := range c.mounts {
		if m := &c.mounts[i]; within(path, m.Path) && (on == nil || len(m.Path) >= len(on.Path)) {
			on = m
		}
	}
	return on
}

// named covers a socket at the path that its name leads to, and where that is mounted besides.
func (c *covering) named(s *platform.BoundSocket) {
	if s.Name == "" || s.Name[0] != '/' {
		c.lost[s.Ino] = true
		return
	}
	r, err := c.host.resolve(s.Name)
	if err != nil || !r.entry.is(typeSocket) || uint32(r.entry.ino) != s.Ino || r.entry.links > 1 {
		c.lost[s.Ino] = true // all its names are searched for
		return
	}
	c.cover(r.path, r.entry)
	on := c.mountOf(r.path)
	if on == nil {
		return
	}
	inside := path.Clean(on.Root + "/" + r.path[len(on.Path):])
	for i := range c.mounts {
		m := &c.mounts[i]
		if m == on || m.Dev != on.Dev || !within(inside, m.Root) {
			continue
		}
		also := path.Clean(m.Path + "/" + inside[len(m.Root):])
		if e, err := c.host.lstat(also); err == nil && e.is(typeSocket) && e.ino == r.entry.ino {
			c.cover(also, e)
		}
	}
}

func (c *covering) cover(path string, e entry) {
	if c.points.access(path).read { // else it is not shown, denied, or covered already
		c.points.allow(path, e, noRead)
		c.covered++
	}
}

// search goes through all folders that are shown, and through no link.
func (c *covering) search() {
	folders := slices.Clone(c.shown)
	for i := 0; i < len(folders); i++ {
		at := folders[i]
		if i == maxSearched {
			c.noUnix(c.shown[0], "it has more folders than are searched for sockets")
			return
		}
		err := c.host.list(at, func(name []byte, kind byte) bool {
			switch kind {
			case unix.DT_DIR:
				folders = append(folders, join(at, string(name)))
			case unix.DT_SOCK, unix.DT_UNKNOWN:
				path := join(at, string(name))
				switch e, err := statx(path); {
				case err != nil:
				case e.is(typeFolder):
					folders = append(folders, path)
				case e.is(typeSocket) && c.lost[uint32(e.ino)]:
					c.cover(path, e)
				}
			}
			return true
		})
		if err != nil && !c.closed(at, err) {
			c.noUnix(at, "it cannot be searched for sockets: "+err.Error())
			return
		}
	}
}

// closed reports whether a folder that cannot be listed is gone, or closed to the server too: it is another user's, and
// may not be entered.
func (c *covering) closed(folder string, err error) bool {
	if missing(errors.Unwrap(err)) {
		return true
	}
	e, err := statx(folder)
	return missing(err) || err == nil && int(e.uid) != c.r.UID && !c.enters(&e, folder)
}
