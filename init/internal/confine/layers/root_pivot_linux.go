package layers

import (
	"os"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// pivot makes the new root the root and unmounts the host's tree; pivot_root(2) describes the two dots. Then it looks
// at every node and every cover of the view, by the paths that the server has.
type pivot struct {
	host *hostLooks
	proc *procMount
}

// ptsPath is where pseudo-terminals are; pts(4).
const ptsPath = "/dev/pts"

func (r pivot) layout(b *build) {
	v := b.View
	b.Do(sys.PivotRoot(".", "."))
	b.Do(sys.Umount2(".", unix.MNT_DETACH))
	sendMounts(b)
	sendRoom(b)
	if !v.HostRoot { // else the root was mounted read-only
		b.Do(sys.MountSetattr(sys.CWD, "/", 0, attrReadOnly))
	}
	if v.Outside != "" {
		outside := statOutside(b).Returns(program.Errno(unix.ENOENT))
		b.prove(func(c *check) {
			c.fact("stat "+v.Outside+" before", "0", c.result(r.host.outside))
			c.fact("stat "+v.Outside, "ENOENT", c.result(outside))
		})
	}
	b.prove(enter(b))
	l := lookAtView(b)
	capacity := statPrivate(b)
	b.prove(func(c *check) {
		fresh := r.freshDevices(c, v, l)
		for i := range l.nodes {
			if n := nodeAt(v, i); n.Kind != fsview.Bind || !hasCover(v, n.Path) {
				proveNode(c, n, c.stat(l.nodes[i]), fresh)
			}
		}
		for i := range l.covers {
			proveCover(c, &v.Covers[i], l.covers[i], fresh)
		}
		proveState(c, v, l)
		proveAllowed(c, v, l)
		proveMounts(c, v, r.proc, fresh)
		capacity(c)
		c.layer.Effect = socketsEffect(b.Request)
	})
}

// statOutside looks at a path of the host that the server must not reach.
func statOutside(b *build) program.Op {
	return b.Ask(sys.Statx(sys.CWD, b.View.Outside, 0, 0, b.Space(statxSize)))
}

// viewLooks are looks at the paths of a view.
type viewLooks struct {
	nodes, covers []stat
	pts, root     stat // of /dev/pts and of /
}

func lookAtView(b *build) (l viewLooks) {
	v := b.View
	for i := range len(v.Nodes) + len(v.Private) {
		l.nodes = append(l.nodes, b.stat(nodeAt(v, i).Path))
	}
	for i := range v.Covers {
		l.covers = append(l.covers, b.stat(v.Covers[i].Path))
	}
	l.pts = b.stat(ptsPath)
	if !v.HostRoot {
		l.root = b.stat("/")
	}
	return l
}

// nodeAt counts the private folders behind the nodes.
func nodeAt(v *fsview.View, i int) *fsview.Node {
	if i < len(v.Nodes) {
		return &v.Nodes[i]
	}
	return &v.Private[i-len(v.Nodes)]
}

// freshDevices are the file systems that were mounted fresh for the sandbox, as mountinfo writes their
// devices.
type freshDevices struct {
	root, private, pts, proc string

	home *fsview.Node // that is a state's folder, or nil
}

// state is the device of files made in a home that lasts, if a path lies in one; else 0.
func (o freshDevices) state(path string) uint64 {
	if o.home == nil || !policy.Below(path, o.home.Path) {
		return 0
	}
	return o.home.Dev
}

// has reports whether a device is one of them.
func (o freshDevices) has(dev uint64) bool {
	name := devName(dev)
	return name == o.root || name == o.private || name == o.pts || name == o.proc
}

// freshDevices demands that /dev/pts is not the host's.
func (r pivot) freshDevices(c *check, v *fsview.View, l viewLooks) freshDevices {
	pts := c.stat(l.pts).Dev
	got := choose(pts != 0, "device "+devName(pts), "")
	c.factIf(pts != 0 && pts != c.stat(r.host.devpts).Dev, ptsPath, "the sandbox's own", got)
	fresh := freshDevices{pts: devName(pts), proc: devName(c.stat(r.proc.stat).Dev)}
	if !v.HostRoot {
		fresh.root = devName(c.stat(l.root).Dev)
	}
	for i := range v.Private {
		if v.Private[i].Kind == fsview.Bind {
			fresh.home = &v.Private[i]
		}
	}
	if i := v.FirstFresh(); i >= 0 {
		fresh.private = devName(c.stat(l.nodes[len(v.Nodes)+i]).Dev)
	}
	return fresh
}

// proveState shows which folder the home is, by the inode that was found at its path.
func proveState(c *check, v *fsview.View, l viewLooks) {
	for i := range v.Private {
		if n := &v.Private[i]; n.Kind == fsview.Bind {
			c.fact("state "+n.Source+" at "+n.Path, nameOf(n.FileID), nameOf(c.stat(l.nodes[len(v.Nodes)+i]).FileID))
		}
	}
}

// devName is a device's number as mountinfo writes it.
func devName(dev uint64) string {
	return strconv.FormatUint(dev>>32, 10) + ":" + strconv.FormatUint(dev&0xffffffff, 10)
}

// Offsets in struct statfs of all 64-bit architectures; statfs(2).
const statfsSize, statfsBlock, statfsBlocks, statfsFiles = 128, 8, 16, 40

// statPrivate reads the size of the private tmpfs, and returns its comparison. The kernel counts in pages.
func statPrivate(b *build) func(*check) {
	v := b.View
	first := v.FirstFresh()
	if first < 0 {
		return func(*check) {}
	}
	at := b.Space(statfsSize)
	b.Ask(sys.Statfs(v.Private[first].Path, at))
	size := func(pages, page, files uint64) string {
		return strconv.FormatUint(pages, 10) + " pages of " + strconv.FormatUint(page, 10) + " bytes, " +
			strconv.FormatUint(files, 10) + " files"
	}
	return func(c *check) {
		page := uint64(os.Getpagesize())
		c.fact("private folders", size((uint64(v.TmpSize)+page-1)/page, page, uint64(v.TmpInodes)),
			size(c.Word(at.Plus(statfsBlocks)), c.Word(at.Plus(statfsBlock)), c.Word(at.Plus(statfsFiles))))
	}
}

// hasCover reports whether a cover lies on path itself.
func hasCover(v *fsview.View, path string) bool {
	return slices.ContainsFunc(v.Covers, func(k fsview.Cover) bool { return k.Path == path })
}

// proveNode compares a path with the node of the view: a bind by its inode, other nodes by type, mode and size.
func proveNode(c *check, n *fsview.Node, got inode, fresh freshDevices) {
	ok := false
	switch n.Kind {
	case fsview.Bind:
		ok = got.FileID == n.FileID
	case fsview.Dir:
		ok = got.mode == unix.S_IFDIR|n.Mode
	case fsview.File:
		ok = got.mode == unix.S_IFREG|n.Mode && got.size == uint64(len(n.Content))
	case fsview.Link:
		ok = got.mode&unix.S_IFMT == unix.S_IFLNK && got.size == uint64(len(n.Content))
	}
	if !ok || n.Kind != fsview.Bind && !fresh.has(got.Dev) {
		c.refuse("stat", n.Path, mismatch{"what was put there", "something else"})
	}
}

// sendRoom hands the shim a folder on the private tmpfs, of which it reads how much room is left when the server has
// ended: by then no path leads there, and init is not dumpable before.
func sendRoom(b *build) {
	at := b.View.FirstFresh()
	if at < 0 || b.View.TmpSize <= 0 {
		return
	}
	var none program.Label
	message, fd := carrier(b, MsgRoom, 1)
	folder := b.Call(sys.Openat(sys.CWD, b.View.Private[at].Path, unix.O_PATH|unix.O_CLOEXEC, 0)).StoreAt(fd)
	b.BranchUnlessOK(&none) // a line at the end is then missing
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, 0)).Returns(program.Int(len(MsgRoom)))
	b.Call(sys.Close(folder.Result()))
	b.Bind(&none)
}
