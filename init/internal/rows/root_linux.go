package rows

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"golang.org/x/sys/unix"
)

// newRoot is where the new root is built. Nothing of the host below it is ever granted, so mounting over it hides no source.
const newRoot = "/sys"

// Attributes of mount_setattr(2) with which things come into the root. Every one of them is private, so that no mount
// event of the host reaches the sandbox.
const (
	attrReadOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrWritable = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrDevice   = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
)

// root builds the server's root on a tmpfs: folders, links, generated files, the host's binds, the private folders.
type root struct {
	nodes []*view.Node // built so far
}

func (r *root) ops(b *build) {
	v := b.View
	r.nodes = make([]*view.Node, 0, len(v.Nodes)+len(v.Private))
	if v.Outside != "" {
		b.launch.outside = b.outside(program.Int(0)) // now: it may lie where the root is built
	}
	b.launch.hostDevpts = b.stat(ptsPath)
	b.Do(sys.Umask(0))   // the modes below are meant; the row of the descriptors sets the server's
	if !b.Machine.Root { // or this process opens no path of the host
		b.Step(sys.Close(b.resolve("/"))).For("/") // that there is such a call shows before one of the policy's paths is opened
	}
	var host program.Arg
	if v.HostRoot {
		host = b.tree("/") // while nothing of the sandbox is mounted in it
	}
	scratch := b.privateTmpfs()
	if v.HostRoot {
		b.place(host, attrReadOnly, newRoot)
	} else {
		b.mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,"+capOf(v))
	}
	b.Do(sys.Chdir(newRoot))
	private := v.Private
	trees := fdTrees
	for i := range v.Nodes {
		n := &v.Nodes[i]
		for len(private) > 0 && isBelow(n.Path, private[0].Path) {
			r.private(b, scratch, &private[0])
			private, scratch.private = private[1:], scratch.private[1:]
		}
		r.node(b, n, &trees)
	}
	for i := range private {
		r.private(b, scratch, &private[i])
		scratch.private = scratch.private[1:]
	}
	b.denyMasks = scratch.covers
	b.freshMounts()
}

// capOf is room for what is laid out on the root's tmpfs, however much the policy names: nobody writes there afterwards.
func capOf(v *view.View) string {
	const page = 64 << 10 // the largest of any machine
	size := 4 << 20
	for i := range v.Nodes {
		size += (len(v.Nodes[i].Content) + page - 1) &^ (page - 1)
	}
	return "size=" + strconv.Itoa(size) + ",nr_inodes=" + strconv.Itoa(4096+len(v.Nodes)+len(v.Private))
}

// node makes one entry. Paths are relative to the new root, which is the working directory.
func (r *root) node(b *build, n *view.Node, trees *int) {
	path := n.Path[1:]
	switch n.Kind {
	case view.Dir:
		b.Do(sys.Mkdirat(sys.CWD, path, int(n.Mode)))
	case view.Link:
		b.Do(sys.Symlinkat(n.Content, sys.CWD, path)).For(n.Path)
	case view.File:
		fd := b.Do(sys.Openat(sys.CWD, path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, int(n.Mode)))
		b.DoExactly(program.Int(len(n.Content)), sys.Write(fd.Result(), n.Content)).For(n.Path)
		b.Do(sys.Close(fd.Result())).For(n.Path) // or the root could not be made read-only
	case view.Bind:
		if !r.exists(b, n.Path) {
			b.point(path, n.Folder)
		}
		attr := uint64(attrReadOnly)
		if n.Device {
			attr = attrDevice
		} else if n.Write {
			attr = attrWritable
		}
		if b.Machine.Root {
			b.place(program.Int(*trees), attr, path)
			*trees++
		} else {
			b.place(b.tree(n.Source), attr, path)
		}
	}
	r.nodes = append(r.nodes, n)
}

// exists reports whether a bind's mount point is part of something that was bound before.
func (r *root) exists(b *build, path string) bool {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		if n := r.nodes[i]; n.Path == path || isBelow(path, n.Path) {
			return n.Kind == view.Bind || n.Path == path
		}
	}
	return b.View.HostRoot
}

// private moves one of the folders of the scratch file system to its place.
func (r *root) private(b *build, s *privateTmpfs, n *view.Node) {
	if !r.exists(b, n.Path) {
		b.point(n.Path[1:], true)
	}
	b.place(s.private[0], 0, n.Path[1:]) // the scratch file system has its attributes already
	r.nodes = append(r.nodes, n)
}

func isBelow(path, folder string) bool {
	return folder == "/" || strings.HasPrefix(path, folder) && len(path) > len(folder) && path[len(folder)] == '/'
}

// point makes a mount point.
func (b *build) point(path string, folder bool) {
	if folder {
		b.Do(sys.Mkdirat(sys.CWD, path, 0o755))
		return
	}
	b.create(path, 0o644)
}

// tree takes a copy of the host's mounts from path on. The path was resolved before: a symbolic link in it now is
// somebody's swap, and another inode at its end is seen when the place is looked at.
func (b *build) tree(path string) program.Arg {
	return b.Do(sys.OpenTree(b.resolve(path), "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(path).Result()
}

// resolve opens a path without symbolic links.
func (b *build) resolve(path string) program.Arg {
	return b.Do(sys.Openat2(sys.CWD, path, unix.O_PATH|unix.O_CLOEXEC, unix.RESOLVE_NO_SYMLINKS)).Result()
}

// place mounts a tree at path: with its attributes first, so that it is never there without them.
func (b *build) place(tree program.Arg, attr uint64, path string) {
	if attr != 0 {
		b.attributes(tree, attr, path)
	}
	b.Do(sys.MoveMount(tree, sys.CWD, path)).For(path)
}

// attributes gives them to every mount of a tree that is not placed yet.
func (b *build) attributes(tree program.Arg, attr uint64, path string) {
	b.Do(sys.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)).For(path)
}

func (b *build) mount(source, target, fs string, flags int, data string) {
	b.Do(sys.Mount(source, target, fs, flags, data)).For(target)
}

func (r *root) check(c *check) {}
