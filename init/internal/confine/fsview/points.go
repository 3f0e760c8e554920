package fsview

import "github.com/security-mcp/mcp-sandbox/policy"

// A flag is a statement of the policy, or of the base system, about a path.
type flag uint16

const (
	mayRead  flag = 1 << iota // granted, visible anyway, or implied
	mayWrite                  // granted for writing, and so for reading
	noRead                    // denied: wins against a grant of the same path
	noWrite                   // read-only from here on
	readOnly                  // protected: read-only from here on
	private                   // a folder of the private tmpfs; a grant of the same path takes its place
	hidden                    // of a visible host root; a grant of the same path takes its place
	folder                    // a folder of the root's own
	link                      // a symbolic link
	file                      // a generated file
	device                    // with mayRead: a device node
	lasting                   // with private: a state's folder in place of one of the tmpfs
	socket                    // with mayRead: a socket that the policy allows, mounted by itself
)

// A point is a path at which something may change on the way down from the root.
type point struct {
	flags   flag
	entry   entry  // the host's file, for all that comes from the host
	mode    uint32 // of a folder, a file, a private folder
	content string // of a link, a file
	act     action
}

// points are the paths that have a flag. A path without a point has the access of the nearest point above it.
type points map[string]*point

func (ps points) at(path string) *point {
	p := ps[path]
	if p == nil {
		p = new(point)
		ps[path] = p
	}
	return p
}

// has reports whether one of the flags is set at path itself.
func (ps points) has(path string, f flag) bool {
	p := ps[path]
	return p != nil && p.flags&f != 0
}

func (ps points) allow(path string, e entry, f flag) {
	p := ps.at(path)
	p.flags |= f
	p.entry = e
}

func (ps points) setGenerated(path string, f flag, mode uint32, content string) {
	p := ps.at(path)
	p.flags |= f
	p.mode, p.content = mode, content
}

// An access is a path's state inside: the host's and readable, writable as well, or on the private tmpfs, or
// absent.
type access struct {
	read, write, private bool
}

// access is the path's state by the nearest points that say something about reading and about writing.
func (ps points) access(path string) (a access) {
	if _, a.read = ps.decide(path, reading); a.read {
		_, a.write = ps.decide(path, writing)
	} else {
		_, a.private = ps.decide(path, onTmpfs)
	}
	return a
}

// decide returns the point that decides about a path, and whether that grants.
func (ps points) decide(path string, says func(flag) (grants, denies bool)) (by string, granted bool) {
	return policy.Decide(path, func(at string) (grants, denies bool) {
		if p := ps[at]; p != nil {
			return says(p.flags)
		}
		return false, false
	})
}

// reading is for the host's tree: a grant replaces the folder that is made for the server at the same path.
func reading(f flag) (grants, denies bool) {
	grants = f&(mayRead|mayWrite) != 0
	return grants, f&noRead != 0 || !grants && f&(private|hidden) != 0
}

func writing(f flag) (grants, denies bool) { return f&mayWrite != 0, f&(noRead|noWrite|readOnly) != 0 }

// onTmpfs is for the private tmpfs, on which a denial of the host's tree changes nothing.
func onTmpfs(f flag) (grants, denies bool) {
	if f&noRead != 0 {
		return f&private != 0, false
	}
	denies = f&(mayRead|mayWrite) != 0 || f&(private|hidden) == hidden
	return f&private != 0, denies
}

// denied reports whether a denial of reading is the nearest statement about path.
func (ps points) denied(path string) bool {
	by, granted := ps.decide(path, func(f flag) (grants, denies bool) {
		return f&(mayRead|mayWrite) != 0, f&noRead != 0
	})
	return by != "" && !granted
}

// exists reports whether the root will have an entry of its own at path, of one of some kinds: something made for the
// server, or a folder on the way to something that is there.
func (ps points) exists(path string, kinds flag) bool {
	if path == "/" {
		return true
	}
	if ps.access(path).read {
		return false
	}
	if ps.has(path, kinds) {
		return true
	}
	for q, p := range ps {
		if policy.Below(q, path) && (p.flags&(private|folder|link|file) != 0 || ps.access(q).read) {
			return true
		}
	}
	return false
}
