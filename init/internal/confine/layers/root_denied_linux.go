package layers

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Denied paths: a mask is made on the private tmpfs (maskTrees), mounted over the path (row masks), looked at by the
// path in the new root (proveCover), and looked up in init's table of mounts (coverMount). The covers of protected
// names and pins go the same way.

// A mask is an empty folder or an unreadable file that is mounted over a denied path. The masks are made on the private
// tmpfs, by these names. In a repair they are made on a tmpfs of their own.
const (
	maskFolder = "denied"
	maskFile   = "unreadable"

	maskFolderMode = 0o555
)

// maskTrees are copies of the masks, to be mounted: one for each denied path, and one for /proc/keys.
type maskTrees struct {
	deny map[*fsview.Cover]program.Arg
	keys program.Arg
}

// make makes the masks that the view needs.
func (m *maskTrees) make(b *build) {
	made := map[bool]bool{}
	m.deny = map[*fsview.Cover]program.Arg{}
	mask := func(folder bool) program.Arg {
		path := newRoot + "/" + maskName(folder)
		switch {
		case made[folder]:
		case folder:
			b.Do(sys.Mkdirat(sys.CWD, path, maskFolderMode))
		default:
			b.create(path, 0)
		}
		made[folder] = true
		return b.copyOf(path)
	}
	for i := range b.View.Covers {
		if k := &b.View.Covers[i]; k.Kind == fsview.Deny {
			m.deny[k] = mask(k.Folder)
		}
	}
	m.keys = mask(false)
}

func maskName(folder bool) string { return choose(folder, maskFolder, maskFile) }

// masks mounts the covers of the view over parts of the grants: masks over denied paths, read-only copies, and pins.
// A folder that is a mount point cannot be renamed (EBUSY), so a path through pinned folders leads to the same mount
// for as long as the sandbox exists. Row pivot compares.
type masks struct{ trees *maskTrees }

// Covers behind closed folders come first, on the descriptors that a root launcher opened.
func (r masks) layout(b *build) {
	for i, k := range ClosedCovers(b.View) {
		at := program.Int(fdTrees + b.binds() + i)
		tree := r.trees.deny[k]
		if comesReadOnly(k) {
			b.setAttributes(at, attrReadOnly, k.Path)
			continue
		}
		if k.Kind != fsview.Deny {
			tree = b.Do(sys.OpenTree(at, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(k.Path).Result()
		}
		b.setAttributes(tree, attributesOf(k), k.Path)
		b.Do(sys.MoveMountTo(tree, at, "", unix.MOVE_MOUNT_T_EMPTY_PATH)).For(k.Path)
		b.Call(sys.Close(tree))
	}
	for i := range b.View.Covers {
		k := &b.View.Covers[i]
		if k.Closed {
			continue
		}
		path, tree := k.Path[1:], r.trees.deny[k]
		if comesReadOnly(k) {
			b.Do(sys.MountSetattr(sys.CWD, path, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW, attrReadOnly)).For(k.Path)
			continue
		}
		if k.Kind != fsview.Deny {
			tree = b.copyOf(path)
		}
		b.place(tree, attributesOf(k), path)
		b.Call(sys.Close(tree)) // a view can have more covers than RLIMIT_NOFILE allows descriptors
	}
}

// comesReadOnly reports whether a cover is a mount that came along with the grant, and is made read-only itself: the
// host's changes to the file below the mount cannot take that away.
func comesReadOnly(k *fsview.Cover) bool { return k.Kind == fsview.ReadOnly && k.Mount }

// attributesOf are those that the mount of a cover gets; a pin has those of the mount that it copies.
func attributesOf(k *fsview.Cover) uint64 {
	return choose(k.Kind == fsview.Pin, 0, uint64(attrReadOnly))
}

// isMask reports whether a mask was found, and not the denied inode itself.
func isMask(folder bool, got inode, denied platform.FileID) bool {
	want := uint32(unix.S_IFREG)
	if folder {
		want = unix.S_IFDIR | maskFolderMode
	}
	return got.mode == want && got.FileID != denied
}

// proveCover compares the inode found at the path of a cover. Behind a closed folder nothing is: there init's table of
// mounts alone lists the cover.
func proveCover(c *check, k *fsview.Cover, at stat, fresh freshDevices) {
	got := c.stat(at)
	if k.Closed && c.Errno(at.op) == unix.EACCES {
		return
	}
	ok := got.FileID == k.FileID
	switch {
	case k.Kind == fsview.Deny:
		ok = isMask(k.Folder, got, k.FileID) && devName(got.Dev) == fresh.private
	case k.Kind == fsview.Pin && k.Source == "": // a folder that was made for the mounts below it
		ok = got.mode&unix.S_IFMT == unix.S_IFDIR && (fresh.has(got.Dev) || got.Dev == fresh.state(k.Path))
	}
	if !ok {
		c.refuse("stat", k.Path, mismatch{"what covers it", "something else"})
	}
}

// coverMount is the mount that a cover has to be.
func coverMount(k *fsview.Cover) expectedMount {
	switch k.Kind {
	case fsview.Pin:
		return expectedMount{path: k.Path, options: flagsWritable, deep: true, pin: true}
	case fsview.Deny:
		return expectedMount{path: k.Path, options: flagsReadOnly, fs: "tmpfs"}
	}
	return expectedMount{path: k.Path, options: flagsReadOnly, deep: true}
}

// Covered reports whether init's table of mounts lists a cover at its path, with its flags. A cover that the host moved
// away with the folder below it is listed by another path.
func Covered(mounts []platform.Mount, k *fsview.Cover) bool {
	w := coverMount(k)
	for i := range mounts {
		if m := &mounts[i]; m.Path == k.Path && m.Propagation == "" && w.satisfiedBy(m) {
			return true
		}
	}
	return false
}
