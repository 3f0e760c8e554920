package fsview

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Bounds on the work that other programs' sockets can make for a launch. Beyond them the server gets no socket of the
// family.
const (
	maxBound    = 4096  // sockets on the file systems of the grants
	maxCovered  = 64    // of them inside the grants; each is a mount, and a folder to watch
	maxSearched = 10000 // folders that are listed for sockets whose names lead nowhere
)

const socketsCrowd = "programs keep sockets for others there"

// sockets finds where bound sockets are, and covers those that are shown. Their names are the arguments of bind(2), and
// may be relative, of another root, or no longer true. So inodes are compared, and sockets that no name leads to are
// searched for.
type sockets struct {
	*tree
	shown   []string // folders
	mounts  []platform.Mount
	places  map[string][]string // by the folder in a socket's name: the folder resolved, and its other mounts
	bound   map[uint32]bool     // inodes; true if their sockets have to be searched for
	lost    bool                // there are such
	covered int
}

// coverSockets covers the host's bound sockets below the grants, or says that the server may have no socket of AF_UNIX.
func (g *grants) coverSockets() {
	t := g.tree
	if t.request.Shared || t.view.HostRoot {
		return // the filter refuses the family there
	}
	s := sockets{tree: t, shown: g.folders(), places: map[string][]string{}, bound: map[uint32]bool{}}
	for _, f := range s.shown {
		if why := s.crowded(f); why != "" {
			s.refuseFamily(f, why)
			return
		}
	}
	if t.request.Bound == nil || len(s.shown) == 0 {
		return
	}
	bound, err := t.request.Bound()
	if err != nil {
		t.view.Sockets.Unlisted = err
	} else if len(bound) > 0 {
		s.cover(bound)
	}
}

// crowded says why sockets for other programs have to be expected in a folder: agents, desktops, multiplexers and
// shells keep theirs in the home, in folders for temporary files and in the runtime's.
func (s *sockets) crowded(folder string) (why string) {
	for _, c := range s.request.Crowded {
		for _, path := range s.lookups.bothNames(c) {
			if policy.Within(folder, path) || policy.Within(path, folder) {
				return "it is, holds or lies in " + path + ", and " + socketsCrowd
			}
		}
	}
	for _, h := range slices.Concat(s.homes, s.request.Homes) {
		for _, path := range s.lookups.bothNames(h) {
			if !systemFolder(path) && policy.Within(path, folder) {
				return "it is or holds the home folder " + path + ", and " + socketsCrowd
			}
		}
	}
	return ""
}

// bothNames are an absolute path as it is written and as it resolves; none for "/" and a relative path.
func (h *lookups) bothNames(folder string) []string {
	if folder == "" || folder == "/" || folder[0] != '/' {
		return nil
	}
	r, err := h.resolve(folder)
	if err != nil || r.path == folder || r.path == "/" {
		return []string{folder}
	}
	return []string{folder, r.path}
}

func (s *sockets) cover(bound []platform.BoundSocket) {
	if devs, err := s.fileSystems(); err == nil { // else all of them may lie there
		bound = slices.DeleteFunc(bound, func(b platform.BoundSocket) bool { return !slices.Contains(devs, b.Dev) })
	}
	if len(bound) > maxBound {
		s.refuseFamily(s.shown[0], "more sockets are bound on its file system than are looked at")
		return
	}
	for i := range bound {
		b := &bound[i]
		lost := !s.coverNamed(b)
		s.bound[b.Ino], s.lost = s.bound[b.Ino] || lost, s.lost || lost
	}
	s.coverMounted()
	if s.lost {
		s.search()
	}
	if s.covered > maxCovered {
		s.refuseFamily(s.shown[0], "more sockets lie in the grants than are covered")
	}
}

func (s *sockets) refuseFamily(grant, why string) { s.view.Sockets = Sockets{Grant: grant, Why: why} }

// fileSystems are the devices of the file systems that lie at or below the folders. On btrfs stat(2) returns another
// device than sock_diag(7) and mountinfo.
func (s *sockets) fileSystems() (devs []uint64, err error) {
	if s.mounts, err = s.lookups.mountTable(); err != nil {
		return nil, err
	}
	for _, f := range s.shown {
		on := mountOf(s.mounts, f)
		if on == nil {
			return nil, errors.ErrUnsupported // a root that is no mount
		}
		devs = append(devs, on.Number(), s.points[f].entry.Dev)
		for i := range s.mounts {
			if m := &s.mounts[i]; policy.Below(m.Path, f) {
				devs = append(devs, m.Number())
			}
		}
	}
	return devs, nil
}

// coverNamed covers a socket at its path and at every other mount of the path. coverNamed fails if the name leads
// elsewhere, or is one of several.
func (s *sockets) coverNamed(b *platform.BoundSocket) bool {
	i := strings.LastIndexByte(b.Name, '/')
	if i < 0 || b.Name[0] != '/' {
		return false
	}
	name, found := b.Name[i+1:], false
	for at, folder := range s.placesOf(b.Name[:i+1]) {
		path := join(folder, name)
		e, err := statx(path)
		is := err == nil && e.is(typeSocket) && uint32(e.Ino) == b.Ino
		if is {
			s.deny(path, &e)
		}
		if at == 0 {
			found = is && e.links == 1
		}
	}
	return found
}

// placesOf resolves a folder, and finds where else it is mounted.
func (s *sockets) placesOf(folder string) []string {
	if places, ok := s.places[folder]; ok {
		return places
	}
	var places []string
	if r, err := s.lookups.resolve(folder); err == nil && r.entry.is(typeFolder) {
		places = append(places, r.path)
		places = append(places, elsewhere(s.mounts, r.path)...)
	}
	s.places[folder] = places
	return places
}

// coverMounted covers the sockets that are mounted one by one, as containers are given them: their folder shows
// another file.
func (s *sockets) coverMounted() {
	for i := range s.mounts {
		m := &s.mounts[i]
		if !slices.ContainsFunc(s.shown, func(folder string) bool { return policy.Below(m.Path, folder) }) {
			continue
		}
		if e, err := statx(m.Path); err == nil && e.is(typeSocket) {
			if _, ok := s.bound[uint32(e.Ino)]; ok {
				s.deny(m.Path, &e)
			}
		}
	}
}

func (s *sockets) deny(path string, e *entry) {
	// Else it is not shown, denied, covered already, or allowed by the policy.
	if s.points.access(path).read && !s.points.has(path, socket) {
		s.points.allow(path, *e, noRead)
		s.covered++
	}
}

// search goes through all folders that are shown.
func (s *sockets) search() {
	w := walk{lookups: &s.lookups, folders: slices.Clone(s.shown), left: math.MaxInt}
	for i := 0; i < len(w.folders); i++ {
		if i == maxSearched {
			s.refuseFamily(s.shown[0], "it has more folders than are searched for sockets")
			return
		}
		at := w.folders[i]
		err := w.list(at, typeSocket, func(path string, e *entry, err error) bool {
			if err == nil && s.bound[uint32(e.Ino)] {
				s.deny(path, e)
			}
			return true
		})
		if err != nil && !s.closed(at, err) {
			s.refuseFamily(at, "it cannot be searched for sockets: "+err.Error())
			return
		}
	}
}
