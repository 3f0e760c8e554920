package fsview

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// maxLinks is how many symbolic links a path may go through, as the kernel has it; path_resolution(7).
const maxLinks = 40

// A resolved path with its entry and the links on the way.
type resolved struct {
	path  string // without any symbolic link in it
	entry entry
	links []followed
	dirs  []string // folders that the links' own targets leave again by ".."
	names int      // on the way, those of links included
}

// maxOnTheWay bounds the names on the ways of all that a list of the environment names, which an entry may set: a link
// can have thousands.
const maxOnTheWay = 1 << 16

// A followed is a symbolic link on the way to a path.
type followed struct {
	at, target string
}

// resolve walks an absolute path component by component. A path that leads into /proc, /sys or /dev is an ErrSystem,
// at any link on its way: these trees differ inside. With another error path is the resolved part.
func (h *lookups) resolve(path string) (r resolved, err error) { return h.resolveFrom("/", path) }

// resolveFrom is resolve for a path below a folder that is resolved already.
func (h *lookups) resolveFrom(cur, rest string) (r resolved, err error) {
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		r.names++
		switch name {
		case "", ".":
			continue
		case "..":
			if len(r.links) > 0 {
				r.dirs = append(r.dirs, cur)
			}
			cur, r.entry = dirOf(cur), entry{}
			continue
		}
		next := join(cur, name)
		if system(next) {
			return r, ErrSystem
		}
		e, err := h.lstat(next)
		if err != nil {
			r.path = next
			return r, err
		}
		switch {
		case e.is(typeLink):
			if len(r.links) == maxLinks {
				return r, unix.ELOOP
			}
			r.links = append(r.links, followed{next, e.target})
			if e.target[0] == '/' {
				cur = "/"
			}
			if rest != "" {
				rest = e.target + "/" + rest
			} else {
				rest = e.target
			}
			r.entry = entry{}
			continue
		case rest != "" && !e.is(typeFolder):
			r.path = next
			return r, unix.ENOTDIR
		}
		cur, r.entry = next, e
	}
	r.path = cur
	if r.entry.mode == 0 { // the last step was none or ".."
		r.entry, err = h.lstat(cur)
	}
	return r, err
}

// system reports whether path is of the file systems that are made fresh for the server.
func system(path string) bool {
	return policy.Within(path, "/proc") || policy.Within(path, "/sys") || policy.Within(path, "/dev")
}

// relativeTo is a path as it is, or below folder if it is relative. It may not be clean.
func relativeTo(path, folder string) string {
	if path[0] == '/' {
		return path
	}
	return folder + "/" + path
}

// show makes the links of a resolved path exist inside, where no bind brings them along.
func (ps points) show(r *resolved) {
	for _, l := range r.links {
		ps.setGenerated(l.at, link, 0, l.target)
	}
	for _, d := range r.dirs {
		if d != "/" && ps.at(d).flags&(private|link|file) == 0 {
			ps.setGenerated(d, folder, 0o755, "")
		}
	}
}
