package fsview

import (
	"errors"
	"slices"
	"strings"

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
	places  map[string][]string // by the folder in a socket's name: that folder resolved, and where else it is mounted
	bound   map[uint32]bool     // inodes; true if their sockets have to be searched for
	lost    bool                // there are such
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
		s := &bound[i]
		lost := !c.named(s)
		c.bound[s.Ino], c.lost = c.bound[s.Ino] || lost, c.lost || lost
	}
	c.mounted()
	if c.lost {
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
	if c.mounts, err = c.mountTable(); err != nil {
		return nil, err
	}
	for _, f := range c.shown {
		on := mountOf(c.mounts, f)
		if on == nil {
			return nil, errors.ErrUnsupported // a root that is no mount
		}
		devs = append(devs, on.Number(), c.points[f].entry.Dev)
		for i := range c.mounts {
			if m := &c.mounts[i]; below(m.Path, f) {
				devs = append(devs, m.Number())
			}
		}
	}
	return devs, nil
}

// named covers a socket at the path that its name leads to, and where that is mounted besides. It fails if the name leads
// elsewhere, or is not the only one.
func (c *covering) named(s *platform.BoundSocket) bool {
	i := strings.LastIndexByte(s.Name, '/')
	if i < 0 || s.Name[0] != '/' {
		return false
	}
	name, found := s.Name[i+1:], false
	for at, folder := range c.placesOf(s.Name[:i+1]) {
		path := join(folder, name)
		e, err := statx(path)
		is := err == nil && e.is(typeSocket) && uint32(e.Ino) == s.Ino
		if is {
			c.cover(path, e)
		}
		if at == 0 {
			found = is && e.links == 1
		}
	}
	return found
}

// placesOf resolves a folder, and finds where else it is mounted.
func (c *covering) placesOf(folder string) []string {
	if places, ok := c.places[folder]; ok {
		return places
	}
	var places []string
	if r, err := c.host.resolve(folder); err == nil && r.entry.is(typeFolder) {
		places = append(places, r.path)
		places = append(places, elsewhere(c.mounts, r.path)...)
	}
	c.places[folder] = places
	return places
}

// mounted covers the sockets that are mounted one by one, as containers are given them: their folder shows another file.
func (c *covering) mounted() {
	for i := range c.mounts {
		m := &c.mounts[i]
		if !slices.ContainsFunc(c.shown, func(folder string) bool { return below(m.Path, folder) }) {
			continue
		}
		if e, err := statx(m.Path); err == nil && e.is(typeSocket) {
			if _, ok := c.bound[uint32(e.Ino)]; ok {
				c.cover(m.Path, e)
			}
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
				case e.is(typeSocket) && c.bound[uint32(e.Ino)]:
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
func (p *planner) closed(folder string, err error) bool {
	if missing(errors.Unwrap(err)) {
		return true
	}
	e, err := statx(folder)
	return missing(err) || err == nil && int(e.uid) != p.r.UID && !p.enters(&e, folder)
}
