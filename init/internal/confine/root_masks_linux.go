package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A mask is an empty folder or an unreadable file that is mounted over a denied path. The masks are made on the private
// tmpfs, by these names. In a repair they are made on a tmpfs of their own.
const (
	maskFolder = "denied"
	maskFile   = "unreadable"

	maskFolderMode = 0o555
)

// maskTrees are copies of the masks, to be mounted: one for each denied path, in the order of the view, and one for
// /proc/keys.
type maskTrees struct {
	deny []program.Arg
	keys program.Arg
	made [2]bool // the folder, the file
}

// make makes the masks that the view needs.
func (m *maskTrees) make(b *build) {
	for i := range b.View.Covers {
		if k := &b.View.Covers[i]; k.Kind == fsview.Deny {
			m.deny = append(m.deny, b.copyOf(m.mask(b, k.Folder)))
		}
	}
	m.keys = b.copyOf(m.mask(b, false))
}

// mask is the path of a mask, which is made the first time.
func (m *maskTrees) mask(b *build, folder bool) string {
	path, made := newRoot+"/"+choose(folder, maskFolder, maskFile), &m.made[1]
	if folder {
		made = &m.made[0]
	}
	switch {
	case *made:
	case folder:
		b.Do(sys.Mkdirat(sys.CWD, path, maskFolderMode))
	default:
		b.create(path, 0)
	}
	*made = true
	return path
}

// masks mounts the covers of the view over parts of the grants: masks over denied paths, read-only copies, and pins.
// A folder that is a mount point cannot be renamed (EBUSY), so a path through pinned folders leads to the same mount
// for as long as the sandbox exists.
type masks struct {
	noFacts // pivot compares
	trees   *maskTrees
}

func (r *masks) ops(b *build) {
	deny := r.trees.deny
	for i := range b.View.Covers {
		k := &b.View.Covers[i]
		path := k.Path[1:]
		var tree program.Arg
		switch k.Kind {
		case fsview.Pin:
			tree = b.copyOf(path)
			b.place(tree, 0, path)
		case fsview.ReadOnly:
			tree = b.copyOf(path)
			b.place(tree, attrReadOnly, path)
		case fsview.Deny:
			tree, deny = deny[0], deny[1:]
			b.place(tree, attrReadOnly, path)
		}
		b.Call(sys.Close(tree)) // a view can have more covers than RLIMIT_NOFILE allows descriptors
	}
}

// freshMask is a mask for a repair, which finds nothing of the launch's to copy: a mount that the kernel took away is
// gone. Before Linux 6.15 (c5c12f871a30) open_tree copies only what is mounted in the caller's mount namespace, else
// EINVAL. So the file is copied in a mount namespace that is thrown away, not in the server's.
func (b *build) freshMask(folder bool) program.Arg {
	fs := b.Do(sys.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)).Result()
	for _, o := range [][2]string{{"mode", "0555"}, {"size", "4096"}, {"nr_inodes", "4"}} {
		b.Do(sys.FsconfigString(fs, o[0], o[1]))
	}
	b.Do(sys.FsconfigCreate(fs)).For("tmpfs")
	tree := b.Do(sys.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)).For("tmpfs").Result()
	if folder {
		return tree
	}
	b.Do(sys.Mknodat(tree, maskFile, unix.S_IFREG, 0))
	b.Do(sys.Unshare(unix.CLONE_NEWNS)).For("mount namespace")
	b.Do(sys.MoveMount(tree, sys.CWD, "/dev")).For("tmpfs")
	file := b.Do(sys.OpenTree(tree, maskFile, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
	b.Do(sys.Setns(sys.FD(fdMount), unix.CLONE_NEWNS)).For("mount namespace")
	return file
}

// isMask reports whether a mask was found, and not the denied inode itself.
func isMask(folder bool, got inode, denied platform.FileID) bool {
	want := uint32(unix.S_IFREG)
	if folder {
		want = unix.S_IFDIR | maskFolderMode
	}
	return got.mode == want && got.FileID != denied
}

// cover compares what is found at the path of a cover.
func (c *check) cover(k *fsview.Cover, got inode) {
	ok := got.FileID == k.FileID
	switch {
	case k.Kind == fsview.Deny:
		ok = isMask(k.Folder, got, k.FileID) && devName(got.Dev) == c.fresh.scratch
	case k.Kind == fsview.Pin && k.Source == "": // a folder that was made for what is mounted below it
		ok = got.mode&unix.S_IFMT == unix.S_IFDIR && c.fresh.has(got.Dev)
	}
	if !ok {
		c.refuse("stat", k.Path, mismatch{"what covers it", "something else"})
	}
}

// coverMount is the mount that a cover has to be.
func coverMount(k *fsview.Cover) expectedMount {
	w := expectedMount{path: k.Path, options: flagsReadOnly, deep: k.Kind != fsview.Deny}
	switch k.Kind {
	case fsview.Pin:
		w.options, w.pin = flagsWritable, true
	case fsview.Deny:
		w.fs = "tmpfs"
	}
	return w
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
