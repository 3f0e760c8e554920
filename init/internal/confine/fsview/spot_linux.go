package fsview

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Spot is where a path leads for a server, and the server's rights to the file there.
type Spot struct {
	// Path is free of symbolic links as far as the server comes; behind that it is as it was asked for.
	Path  string
	Sight order.Sight
	// Read and Write are the rights to the host's object that the policy leaves. Both are false of a stand-in.
	Read, Write bool
	// Missing is true where Path lies in a tree of the host and the host has nothing there.
	Missing bool
	Way     []string // the host's folders that the path goes through

	Reading, Writing Cause
}

// Find follows an absolute path as the server will.
func (e *Explained) Find(at string) Spot {
	f := finder{Explained: e, cur: "/", rest: at}
	f.walk()
	f.Reading, f.Writing = e.reading(f.Path), e.writing(f.Path)
	return f.Spot
}

// A finder follows one path.
type finder struct {
	*Explained
	Spot
	cur, rest string
	links     int
	done      bool
	onHost    bool  // as the host sees the path
	failed    error // of the last look, if that does not mean that nothing is there
}

func (f *finder) walk() {
	for f.rest != "" && !f.done {
		name, rest, slash := strings.Cut(f.rest, "/")
		if f.rest = rest; slash && rest == "" && name != "" {
			f.rest = "/" // a slash at the end asks for a folder
		}
		switch name {
		case "", ".":
		case "..":
			f.cur = dirOf(f.cur)
		default:
			f.step(join(f.cur, name))
		}
	}
	if !f.done {
		f.arrive()
	}
}

// stop ends the way before its end: what is left of the path stays behind the place where it ends.
func (f *finder) stop(at string, sight order.Sight) {
	f.Path, f.Sight, f.done = at, sight, true
	for name := range strings.SplitSeq(f.rest, "/") {
		if name != "" {
			f.Path = join(f.Path, name)
		}
	}
}

// last reports whether nothing of the path is left but slashes.
func (f *finder) last() bool { return strings.Trim(f.rest, "/") == "" }

// step goes to one name.
func (f *finder) step(next string) {
	ps, r := f.tree.points, f.tree.request
	switch {
	case f.onHost:
		f.host(next)
	case !r.Shared && (policy.Within(next, "/proc") || next == "/dev/pts/ptmx"),
		next == "/proc/self", next == "/proc/thread-self": // the server's own
		f.stop(next, order.SeesGenerated)
	case r.Shared || ps.access(next).read:
		f.host(next)
	case ps.has(next, link):
		f.follow(next, ps[next].content)
	case ps.has(next, noRead|hidden) && ps.access(dirOf(next)).read:
		if p := ps[next]; f.rest != "" && !p.entry.is(typeFolder) {
			f.stop(next, order.SeesAbsent)
			return
		}
		f.cur = next
	case ps.exists(next, private|folder|file):
		if ps.has(next, file) && f.rest != "" {
			f.stop(next, order.SeesAbsent)
			return
		}
		f.cur = next
	case ps.access(next).private && !ps.closed(dirOf(next)):
		f.stop(next, standIn(next))
	default:
		f.stop(next, order.SeesAbsent)
	}
}

// closed reports whether a folder of the private tmpfs only carries mounts: a denied one with a grant in it.
func (ps points) closed(path string) bool {
	for q := path; q != "/"; q = dirOf(q) {
		if p := ps[q]; p != nil && p.flags&private != 0 {
			return p.mode&0o200 == 0
		}
	}
	return false
}

// standIn is the sight of a path on the sandbox's own file systems. In /dev the server makes nothing.
func standIn(path string) order.Sight {
	if policy.Within(path, "/dev") && !policy.Within(path, "/dev/shm") {
		return order.SeesAbsent
	}
	return order.SeesPrivate
}

// host goes to a name in the host's tree.
func (f *finder) host(next string) {
	st, err := f.tree.lookups.lstat(next)
	switch {
	case err != nil:
		if f.Missing = missing(err); !f.Missing {
			f.failed = err
		}
		f.stop(next, order.SeesAbsent)
		if f.rights(); f.failed != nil && f.Read { // it may be there
			f.Sight = f.seen()
		}
	case st.is(typeLink):
		f.follow(next, st.target)
	case !st.is(typeFolder) && f.rest != "":
		f.Missing = true
		f.stop(next, order.SeesAbsent)
	default:
		if !f.last() {
			f.Way = append(f.Way, next)
		}
		f.cur = next
	}
}

// follow goes on with the target of a symbolic link.
func (f *finder) follow(from, target string) {
	if f.links++; f.links > maxLinks {
		f.Missing = true
		f.stop(from, order.SeesAbsent)
		return
	}
	if target[0] == '/' {
		f.cur = "/"
	}
	if f.rest != "" {
		target += "/" + f.rest
	}
	f.rest = target
}

// arrive is the end of a way on which everything was there.
func (f *finder) arrive() {
	at, ps := f.cur, f.tree.points
	f.Path = at
	f.rights()
	switch a := ps.access(at); {
	case f.tree.request.Shared:
		f.Sight = f.seen()
	case a.read:
		f.Sight = f.seen()
	case a.private && !ps.closed(at) && standIn(at) == order.SeesPrivate:
		f.Sight = order.SeesPrivate
	case ps.has(at, noRead|hidden):
		f.Sight = order.SeesEmpty
	default:
		f.Sight = order.SeesGenerated
	}
}

// seen is the sight of the host's object at Path. Without a root of its own the server sees unreadable ones too.
func (f *finder) seen() order.Sight {
	if f.Read && !f.Write {
		return order.SeesReadOnly
	}
	return order.SeesHost
}

// rights sets the rights to the host's object at Path that the policy leaves.
func (f *finder) rights() {
	switch r, a := f.tree.request, f.tree.points.access(f.Path); {
	case r.Open:
		f.Read, f.Write = true, true
	case r.Shared:
		f.Read = f.View.ruleFor(f.Path, false) != nil || policy.Within(f.Path, "/proc")
		f.Write = f.View.ruleFor(f.Path, true) != nil
	default:
		device := f.tree.points.has(f.Path, device)
		f.Read, f.Write = a.read, a.write || device
	}
}
