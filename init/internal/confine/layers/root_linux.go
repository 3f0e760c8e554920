package layers

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
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

// root builds the server's root on a tmpfs: folders, links, generated files, binds of the host, private folders. Row
// pivot compares.
type root struct {
	host  *hostLooks
	masks *maskTrees
	proc  *procMount
}

// hostLooks are looks at the host's tree, to be compared with the same paths in the new root.
type hostLooks struct {
	devpts  stat       // /dev/pts
	outside program.Op // statx of a path that the server must not reach
}

func (r root) layout(b *build) {
	v := b.View
	if v.Outside != "" {
		r.host.outside = statOutside(b).Returns(program.Int(0)) // first: the path may be below newRoot
	}
	r.host.devpts = b.stat(ptsPath)
	b.Do(sys.Umask(0)) // the modes below are exact; row umask sets the server's mask
	if !b.Machine.Root {
		// A kernel without openat2 is found out here, not at a path of the policy. A root launcher opens its paths
		// itself.
		b.Step(sys.Close(resolve(b, "/"))).For("/")
	}
	var host program.Arg
	switch {
	case b.Machine.Root && handsRoot(v):
		host = program.Int(fdTrees + b.binds() - 1)
	case v.HostRoot:
		host = cloneTree(b, "/") // before anything of the sandbox is mounted there
	}
	private := privateTmpfs(b, r.masks)
	if v.HostRoot {
		b.place(host, attrReadOnly, newRoot)
	} else {
		b.mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,"+sizeOf(v))
	}
	b.Do(sys.Chdir(newRoot))
	n := nodes{build: b, tree: fdTrees, made: make([]*fsview.Node, 0, len(v.Nodes)+len(v.Private))}
	placed := 0
	for i := range v.Nodes {
		for ; placed < len(private) && policy.Below(v.Nodes[i].Path, v.Private[placed].Path); placed++ {
			n.placePrivate(&v.Private[placed], private[placed])
		}
		n.make(&v.Nodes[i])
	}
	for ; placed < len(private); placed++ {
		n.placePrivate(&v.Private[placed], private[placed])
	}
	r.proc.mount(b, r.masks.keys)
	b.mount("devpts", "dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, ptsOptions)
}

// ptsOptions bound the terminals of a sandbox: all of the machine's have one count, /proc/sys/kernel/pty/max.
const (
	ptsMost    = "max=64"
	ptsOptions = "newinstance,ptmxmode=0666,mode=0620," + ptsMost
)

// sizeOf limits the root's tmpfs to the view's needs. The server cannot write to it.
func sizeOf(v *fsview.View) string {
	const page = 64 << 10 // the largest of any machine
	size := 4 << 20
	for i := range v.Nodes {
		size += (len(v.Nodes[i].Content) + page - 1) &^ (page - 1)
	}
	return "size=" + strconv.Itoa(size) + ",nr_inodes=" + strconv.Itoa(4096+len(v.Nodes)+len(v.Private))
}

// nodes makes the nodes of a view. Paths are relative to the new root, which is the working directory.
type nodes struct {
	*build
	made []*fsview.Node // so far
	tree int            // the descriptor of the next tree that a root launcher opened
}

func (r *nodes) make(n *fsview.Node) {
	path := n.Path[1:]
	switch n.Kind {
	case fsview.Dir:
		r.Do(sys.Mkdirat(sys.CWD, path, int(n.Mode)))
	case fsview.Link:
		r.Do(sys.Symlinkat(n.Content, sys.CWD, path)).For(n.Path)
	case fsview.File:
		fd := r.Do(sys.Openat(sys.CWD, path, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, int(n.Mode)))
		r.Do(sys.Write(fd.Result(), n.Content)).Returns(program.Int(len(n.Content))).For(n.Path)
		r.Do(sys.Close(fd.Result())).For(n.Path) // or the root could not be made read-only
	case fsview.Bind:
		r.bind(n)
	}
	r.made = append(r.made, n)
}

func (r *nodes) bind(n *fsview.Node) {
	r.mountPoint(n.Path, n.Folder)
	attr := uint64(attrReadOnly)
	if n.Device {
		attr = attrDevice
	} else if n.Write {
		attr = attrWritable
	}
	tree := program.Int(r.tree)
	if r.Machine.Root {
		r.tree++
	} else {
		tree = cloneTree(r.build, n.Source)
	}
	r.place(tree, attr, n.Path[1:])
}

// placePrivate mounts a folder of the private tmpfs, which has its attributes already, or a home that lasts.
func (r *nodes) placePrivate(n *fsview.Node, tree program.Arg) {
	r.mountPoint(n.Path, true)
	r.place(tree, choose(n.Kind == fsview.Bind, attrWritable, uint64(0)), n.Path[1:])
	r.made = append(r.made, n)
}

// mountPoint makes a mount point, unless one comes with a node that was made before.
func (r *nodes) mountPoint(path string, folder bool) {
	switch {
	case r.exists(path):
	case folder:
		r.Do(sys.Mkdirat(sys.CWD, path[1:], 0o755))
	default:
		r.create(path[1:], 0o644)
	}
}

func (r *nodes) exists(path string) bool {
	for i := len(r.made) - 1; i >= 0; i-- {
		if n := r.made[i]; n.Path == path || policy.Below(path, n.Path) {
			return n.Kind == fsview.Bind || n.Path == path
		}
	}
	return r.View.HostRoot
}

// cloneTree copies the host's mounts at and below a path. fsview resolved the path. A symbolic link that appeared since
// is refused, and pivot notices another inode.
func cloneTree(b *build, path string) program.Arg {
	return b.Do(sys.OpenTree(resolve(b, path), "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(path).Result()
}

// resolve opens a path without symbolic links.
func resolve(b *build, path string) program.Arg {
	return b.Do(sys.Openat2(sys.CWD, path, unix.O_PATH|unix.O_CLOEXEC, unix.RESOLVE_NO_SYMLINKS)).Result()
}

// place mounts a tree. The attributes come first, so that the tree is never mounted without them.
func (b *build) place(tree program.Arg, attr uint64, path string) {
	if attr != 0 {
		b.setAttributes(tree, attr, path)
	}
	b.Do(sys.MoveMount(tree, sys.CWD, path)).For(path)
}

// setAttributes sets the attributes of every mount of a tree that is not mounted yet.
func (b *build) setAttributes(tree program.Arg, attr uint64, path string) {
	b.Do(sys.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)).For(path)
}

func (b *build) mount(source, target, fs string, flags int, data string) {
	b.Do(sys.Mount(source, target, fs, flags, data)).For(target)
}

// Names on the private tmpfs. No path of the new root leads to them.
const (
	canaryFolder = "canary"
	// CanaryFile is the file in the canary folder that Landlock's proof opens.
	CanaryFile = "file"
)

// privateTmpfs mounts the one writable tmpfs of a sandbox, so that one size limits all private folders: /tmp, the
// home and /dev/shm. The trees of its folders are returned in the order of the view. The tmpfs itself is mounted
// where the new root is built afterwards, and goes away with the host's tree. The tmpfs also has the masks, and
// the file that Landlock's proof opens.
func privateTmpfs(b *build, masks *maskTrees) (private []program.Arg) {
	v := b.View
	b.mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		"mode=0755,size="+strconv.FormatInt(v.TmpSize, 10)+",nr_inodes="+strconv.FormatInt(v.TmpInodes, 10))
	for i := range v.Private {
		if v.Private[i].Kind == fsview.Bind {
			private = append(private, stateTree(b, v.Private[i].Source))
			continue
		}
		name := newRoot + "/" + strconv.Itoa(i)
		b.Do(sys.Mkdirat(sys.CWD, name, int(v.Private[i].Mode)))
		private = append(private, b.copyOf(name))
	}
	masks.make(b)
	canary := newRoot + "/" + canaryFolder
	b.Do(sys.Mkdirat(sys.CWD, canary, 0o755))
	b.create(canary+"/"+CanaryFile, 0o644)
	fd := b.Do(sys.Openat(sys.CWD, canary, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	b.Do(sys.Dup3(fd.Result(), fdCanary, unix.O_CLOEXEC))
	return private
}

// stateTree is the folder of a state, which a root launcher opened behind the trees of the nodes.
func stateTree(b *build, source string) program.Arg {
	if b.Machine.Root {
		return program.Int(fdTrees + slices.Index(Sources(b.View), source))
	}
	return cloneTree(b, source)
}

// create makes an empty file.
func (b *build) create(path string, mode int) { b.Do(sys.Mknodat(sys.CWD, path, unix.S_IFREG|mode, 0)) }

// copyOf is a copy of the mounts at and below a path that was made for the sandbox.
func (b *build) copyOf(path string) program.Arg {
	return b.Do(sys.OpenTree(sys.CWD, path, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
}
