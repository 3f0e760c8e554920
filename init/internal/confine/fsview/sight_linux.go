package fsview

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Sight is how a server sees a path of the host.
type Sight uint8

const (
	Unknown   Sight = iota // nothing is there, or the look could block, or the path is made fresh for every server
	Seen                   // as on the host, or a stand-in
	Denied                 // the policy takes the path out of a grant
	Hidden                 // the path exists on the host and the server cannot see it
	EmptyHome              // the server has an empty private home there
	Unmade                 // nothing is there, and the server does not see the folder that the path would lie in
	Passing                // nothing is there, and a file that the server makes there goes with its private home
)

// A Look is what is known of a path that nothing checked.
type Look struct {
	Sight  Sight
	Real   string // without links; of a missing path the nearest folder that exists
	Socket bool
	Folder bool

	Missing int // how many names of the path are not there
}

// A Viewer finds how a server sees paths that nothing checked. A look opens nothing, mounts nothing and asks no
// network: paths on other file systems than local ones are Unknown.
type Viewer struct {
	View   *View
	Shared bool   // the server has the host's root
	Open   bool   // and no rules restrict it
	Home   string // of the host

	lookups lookups
}

// Sees looks at one absolute path.
func (v *Viewer) Sees(at string) Sight { return v.Look(at).Sight }

// Look is Sees, and says which kind of file lies there.
func (v *Viewer) Look(at string) (found Look) {
	if v.Open {
		return Look{Sight: Seen}
	}
	if v.lookups.seen == nil {
		v.lookups = newLookups()
	}
	w := walker{viewer: v}
	real, ok := w.walk(at)
	found = Look{Real: real, Socket: w.kind == typeSocket, Folder: w.kind == typeFolder, Missing: w.missing}
	switch {
	case w.missing > 0:
		found.Sight = v.unmade(real, w.missing)
	case !ok:
		found.Sight = Unknown
	case v.denies(real):
		found.Sight = Denied
	case v.isHome(real) && !v.binds(real):
		found.Sight = EmptyHome
	case w.lost || !v.shows(real):
		found.Sight = Hidden
	default:
		found.Sight = Seen
	}
	return found
}

// shows reports whether the server has a path of the host without links, or a stand-in of its own.
func (v *Viewer) shows(real string) bool {
	if v.View.HostRoot || real == "/" || real == "/tmp" || v.binds(real) { // TMPDIR stands for /tmp elsewhere
		return true
	}
	broad := v.Broad(real) // or else a made folder is only on the way to a grant, with nothing around that
	made := func(n Node) bool { return n.Kind != Bind && n.Path == real && (n.Kind != Dir || broad) }
	private := func(n Node) bool { return n.Kind != Bind && n.Path == real }
	return !v.Shared && (slices.ContainsFunc(v.View.Nodes, made) || slices.ContainsFunc(v.View.Private, private))
}

// binds reports whether the path lies in the nearest thing of the host that is mounted above.
func (v *Viewer) binds(real string) bool {
	near, bound := -1, v.View.HostRoot
	for i := range v.View.Private {
		if p := v.View.Private[i].Path; policy.Within(real, p) && len(p) > near {
			near, bound = len(p), false
		}
	}
	for i := range v.View.Nodes {
		if n := &v.View.Nodes[i]; n.Kind == Bind && policy.Within(real, n.Source) && len(n.Source) >= near {
			near, bound = len(n.Source), true
		}
	}
	return bound
}

// denies reports whether a cover hides the path.
func (v *Viewer) denies(real string) bool {
	near, kind := -1, ReadOnly
	for i := range v.View.Covers {
		if c := &v.View.Covers[i]; c.Kind == Deny && policy.Within(real, c.Source) && len(c.Source) > near {
			near, kind = len(c.Source), c.Kind
		}
	}
	for i := range v.View.Nodes {
		if n := &v.View.Nodes[i]; n.Kind == Bind && policy.Within(real, n.Source) && len(n.Source) > near {
			kind = ReadOnly
		}
	}
	return kind == Deny
}

// maxSteps is how many names and links a look follows.
const maxSteps = 128

// A walker follows one path.
type walker struct {
	viewer *Viewer
	steps  int
	lost   bool   // went through a symbolic link that the server does not see
	kind   uint32 // of the file that the path leads to

	missing int // how many names of the path are not there
}

// walk resolves a path as far as that is free of effects.
func (w *walker) walk(at string) (real string, ok bool) {
	cur, rest := "/", at
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if w.steps++; w.steps > maxSteps {
			return "", false
		}
		switch part {
		case "", ".":
			continue
		case "..":
			cur = dirOf(cur)
			continue
		}
		next := join(cur, part)
		if system(next) || !w.local(next) {
			return "", false
		}
		var st unix.Statx_t
		const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
		if err := unix.Statx(unix.AT_FDCWD, next, flags, unix.STATX_TYPE, &st); err == unix.ENOENT {
			w.missing = 1 + len(strings.FieldsFunc(rest, func(r rune) bool { return r == '/' }))
			return cur, false
		} else if err != nil {
			return "", false
		}
		if w.kind = uint32(st.Mode) & typeMask; w.kind != typeLink {
			cur = next
			continue
		}
		target, err := w.viewer.lookups.readlink(next)
		if err != nil {
			return "", false
		}
		w.lost = w.lost || !w.viewer.links(next)
		if rest = target + "/" + rest; target[0] == '/' {
			cur = "/"
		}
	}
	return cur, true
}

// links reports whether the server sees a symbolic link of the host.
func (v *Viewer) links(at string) bool {
	if v.Shared || v.binds(at) {
		return true
	}
	return slices.ContainsFunc(v.View.Nodes, func(n Node) bool { return n.Kind == Link && n.Path == at })
}

// local reports whether a path may be looked at: no file system is mounted there that could ask a network or a
// program.
func (w *walker) local(at string) bool {
	mounts, err := w.viewer.lookups.mountTable()
	if err != nil {
		return false
	}
	kind := "" // of the topmost mount there
	for i := range mounts {
		if mounts[i].Path == at {
			kind = mounts[i].Type
		}
	}
	const types = " 9p bcachefs btrfs erofs ext2 ext3 ext4 exfat f2fs iso9660 jfs ntfs ntfs3 overlay ramfs rootfs " +
		"squashfs tmpfs ubifs udf vfat virtiofs xfs zfs "
	return kind == "" || strings.Contains(types, " "+kind+" ")
}
