package fsview

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
	entry   entry  // what the host has there, for all that comes from the host
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

// access looks upwards from path: the nearest point that says something about reading decides it, and so for writing.
// So the more specific path wins, and of a grant and a denial of one path the denial.
func (ps points) access(path string) (a access) {
	var readKnown, writeKnown, denied bool
	for q := path; ; q = dirOf(q) {
		if p := ps[q]; p != nil {
			f := p.flags
			switch {
			case writeKnown:
			case f&(noRead|noWrite|readOnly) != 0:
				writeKnown = true
			case f&mayWrite != 0:
				a.write, writeKnown = true, true
			}
			switch {
			case readKnown:
			case f&noRead != 0:
				denied = true // of the host's tree; on the private tmpfs it changes nothing
				if f&private != 0 {
					a.private, readKnown = true, true
				}
			case f&(mayRead|mayWrite) != 0:
				a.read, readKnown = !denied, true
			case f&private != 0:
				a.private, readKnown = true, true
			case f&hidden != 0:
				readKnown = true
			}
			if readKnown && (writeKnown || !a.read) {
				break
			}
		}
		if q == "/" {
			break
		}
	}
	a.write = a.write && a.read
	return a
}

// denied reports whether a denial of reading is the nearest statement about path.
func (ps points) denied(path string) bool {
	for q := path; ; q = dirOf(q) {
		switch {
		case ps.has(q, noRead):
			return true
		case ps.has(q, mayRead|mayWrite), q == "/":
			return false
		}
	}
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
		if below(q, path) && (p.flags&(private|folder|link|file) != 0 || ps.access(q).read) {
			return true
		}
	}
	return false
}
