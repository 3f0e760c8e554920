package confine

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// newRoot is where the new root is built. No path below it is ever granted, so the mount over it hides no source.
const newRoot = "/sys"

// Attributes of the mounts in the new root; mount_setattr(2).
const (
	attrReadOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrWritable = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	attrDevice   = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC
)

// root builds the server's root on a tmpfs: folders, links, generated files, binds of the host, private folders.
type root struct {
	noFacts // pivot compares
	host    *hostLooks
	masks   *maskTrees
	proc    *procMount
	nodes   []*fsview.Node // built so far
}

// hostLooks are looks at the host's tree, to be compared with the same paths in the new root.
type hostLooks struct {
	devpts  stat       // /dev/pts
	outside program.Op // statx of a path that the server must not reach
}

func (r *root) ops(b *build) {
	v := b.View
	r.nodes = make([]*fsview.Node, 0, len(v.Nodes)+len(v.Private))
	if v.Outside != "" {
		r.host.outside = b.outside(program.Int(0)) // first: the path may be below newRoot
	}
	r.host.devpts = b.stat(ptsPath)
	b.Do(sys.Umask(0)) // the modes below are exact; row umask sets the server's mask
	if !b.Machine.Root {
		// A kernel without openat2 is found out here, not at a path of the policy. A root launcher opens its paths
		// itself.
		b.Step(sys.Close(b.resolve("/"))).For("/")
	}
	var host program.Arg
	if v.HostRoot {
		host = b.tree("/") // before anything of the sandbox is mounted there
	}
	private := b.privateTmpfs(r.masks)
	if v.HostRoot {
		b.place(host, attrReadOnly, newRoot)
	} else {
		b.mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,"+capOf(v))
	}
	b.Do(sys.Chdir(newRoot))
	placed, trees := 0, fdTrees
	for i := range v.Nodes {
		n := &v.Nodes[i]
		for ; placed < len(private) && isBelow(n.Path, v.Private[placed].Path); placed++ {
			r.private(b, private[placed], &v.Private[placed])
		}
		r.node(b, n, &trees)
	}
	for ; placed < len(private); placed++ {
		r.private(b, private[placed], &v.Private[placed])
	}
	r.proc.mount(b, r.masks.keys)
	b.mount("devpts", "dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
}

// capOf limits the root's tmpfs to what the view needs. The server cannot write to it.
func capOf(v *fsview.View) string {
	const page = 64 << 10 // the largest of any machine
	size := 4 << 20
	for i := range v.Nodes {
		size += (len(v.Nodes[i].Content) + page - 1) &^ (page - 1)
	}
	return "size=" + strconv.Itoa(size) + ",nr_inodes=" + strconv.Itoa(4096+len(v.Nodes)+len(v.Private))
}

// node makes one node of the view. Paths are relative to the new root, which is the working directory.
func (r *root) node(b *build, n *fsview.Node, trees *int) {
	path := n.Path[1:]
	switch n.Kind {
	case fsview.Dir:
		b.Do(sys.Mkdirat(sys.CWD, path, int(n.Mode)))
	case fsview.Link:
		b.Do(sys.Symlinkat(n.Content, sys.CWD, path)).For(n.Path)
	case fsview.File:
		fd := b.Do(sys.Openat(sys.CWD, path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, int(n.Mode)))
		b.Do(sys.Write(fd.Result(), n.Content)).Returns(program.Int(len(n.Content))).For(n.Path)
		b.Do(sys.Close(fd.Result())).For(n.Path) // or the root could not be made read-only
	case fsview.Bind:
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

// exists reports whether a mount point comes with a node that was made before.
func (r *root) exists(b *build, path string) bool {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		if n := r.nodes[i]; n.Path == path || isBelow(path, n.Path) {
			return n.Kind == fsview.Bind || n.Path == path
		}
	}
	return b.View.HostRoot
}

// private mounts a folder of the private tmpfs, which has its attributes already.
func (r *root) private(b *build, tree program.Arg, n *fsview.Node) {
	if !r.exists(b, n.Path) {
		b.point(n.Path[1:], true)
	}
	b.place(tree, 0, n.Path[1:])
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

// tree copies the host's mounts at and below a path. The path has no symbolic link, for view resolved it: one that
// appeared since is refused, and pivot notices another inode.
func (b *build) tree(path string) program.Arg {
	return b.Do(sys.OpenTree(b.resolve(path), "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(path).Result()
}

// resolve opens a path without symbolic links.
func (b *build) resolve(path string) program.Arg {
	return b.Do(sys.Openat2(sys.CWD, path, unix.O_PATH|unix.O_CLOEXEC, unix.RESOLVE_NO_SYMLINKS)).Result()
}

// place mounts a tree. The attributes come first, so that the tree is never mounted without them.
func (b *build) place(tree program.Arg, attr uint64, path string) {
	if attr != 0 {
		b.attributes(tree, attr, path)
	}
	b.Do(sys.MoveMount(tree, sys.CWD, path)).For(path)
}

// attributes sets the attributes of every mount of a tree that is not mounted yet.
func (b *build) attributes(tree program.Arg, attr uint64, path string) {
	b.Do(sys.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)).For(path)
}

func (b *build) mount(source, target, fs string, flags int, data string) {
	b.Do(sys.Mount(source, target, fs, flags, data)).For(target)
}
