package confine

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// pivot makes the new root the root and unmounts the host's tree; pivot_root(2) describes the two dots. Then it looks
// at every node and every cover of the view, by the paths that the server has.
type pivot struct {
	host    *hostLooks
	proc    *procMount
	outside program.Op
	nodes   []stat
	covers  []stat
	cwd     fileRead
	root    stat       // of /
	pts     stat       // of /dev/pts
	cap     program.Op // statfs of the private folders
	capAt   program.Addr
}

// ptsPath is where pseudo-terminals are; pts(4).
const ptsPath = "/dev/pts"

func (r *pivot) ops(b *build) {
	v := b.View
	b.Do(sys.PivotRoot(".", "."))
	b.Do(sys.Umount2(".", unix.MNT_DETACH))
	if !v.HostRoot { // else the root was mounted read-only
		b.Do(sys.MountSetattr(sys.CWD, "/", 0, attrReadOnly))
	}
	if v.Outside != "" {
		r.outside = b.outside(program.Errno(unix.ENOENT))
	}
	r.cwd = b.enter(v.Cwd)
	for i := range v.Nodes {
		r.nodes = append(r.nodes, b.stat(v.Nodes[i].Path))
	}
	for i := range v.Private {
		r.nodes = append(r.nodes, b.stat(v.Private[i].Path))
	}
	for i := range v.Covers {
		r.covers = append(r.covers, b.stat(v.Covers[i].Path))
	}
	r.pts = b.stat(ptsPath)
	if !v.HostRoot {
		r.root = b.stat("/")
	}
	if len(v.Private) > 0 {
		r.capAt = b.Space(statfsSize)
		r.cap = b.Ask(sys.Statfs(v.Private[0].Path, r.capAt))
	}
}

// outside looks at a path of the host that the server must not reach.
func (b *build) outside(demand program.Arg) program.Op {
	return b.Ask(sys.Statx(sys.CWD, b.View.Outside, 0, 0, b.Space(statxSize))).Returns(demand)
}

func (r *pivot) check(c *check) {
	v := c.View
	if v.Outside != "" {
		c.fact("stat "+v.Outside+" before", "0", c.result(r.host.outside))
		c.fact("stat "+v.Outside, "ENOENT", c.result(r.outside))
	}
	c.fact("working directory", v.Cwd, c.path(r.cwd))
	c.fresh = r.devices(c)
	for i := range r.nodes {
		n := nodeAt(v, i)
		if n.Kind == fsview.Bind && c.covered(n.Path) {
			continue
		}
		c.node(n, c.stat(r.nodes[i]))
	}
	for i := range r.covers {
		c.cover(&v.Covers[i], c.stat(r.covers[i]))
	}
	c.mounts(r.proc)
	r.capacity(c)
	c.sockets()
}

// devices are the file systems that were mounted fresh for the sandbox, as mountinfo writes them.
func (r *pivot) devices(c *check) freshDevices {
	pts := c.stat(r.pts).Dev
	got := choose(pts != 0, "device "+devName(pts), "")
	c.factIf(pts != 0 && pts != c.stat(r.host.devpts).Dev, ptsPath, "the sandbox's own", got)
	m := freshDevices{pts: devName(pts), proc: devName(c.stat(r.proc.stat).Dev)}
	if !c.View.HostRoot {
		m.root = devName(c.stat(r.root).Dev)
	}
	if len(c.View.Private) > 0 {
		m.scratch = devName(c.stat(r.nodes[len(c.View.Nodes)]).Dev)
	}
	return m
}

// Offsets in struct statfs of all 64-bit architectures; statfs(2).
const statfsSize, statfsBlock, statfsBlocks, statfsFiles = 128, 8, 16, 40

// capacity compares the size of the private tmpfs, which the kernel counts in pages.
func (r *pivot) capacity(c *check) {
	if len(c.View.Private) == 0 {
		return
	}
	page := uint64(os.Getpagesize())
	size := func(pages, page, files uint64) string {
		return strconv.FormatUint(pages, 10) + " pages of " + strconv.FormatUint(page, 10) + " bytes, " +
			strconv.FormatUint(files, 10) + " files"
	}
	c.fact("private folders", size((uint64(c.View.TmpSize)+page-1)/page, page, uint64(c.View.TmpInodes)),
		size(c.Word(r.capAt.Plus(statfsBlocks)), c.Word(r.capAt.Plus(statfsBlock)), c.Word(r.capAt.Plus(statfsFiles))))
}

// nodeAt counts the private folders behind the nodes.
func nodeAt(v *fsview.View, i int) *fsview.Node {
	if i < len(v.Nodes) {
		return &v.Nodes[i]
	}
	return &v.Private[i-len(v.Nodes)]
}

// covered reports whether a cover lies on path itself.
func (c *check) covered(path string) bool {
	for i := range c.View.Covers {
		if c.View.Covers[i].Path == path {
			return true
		}
	}
	return false
}

// node compares a path with the node of the view: a bind by its inode, other nodes by type, mode and size.
func (c *check) node(n *fsview.Node, got inode) {
	const format = unix.S_IFMT
	ok := false
	switch n.Kind {
	case fsview.Bind:
		ok = got.FileID == n.FileID
	case fsview.Dir:
		ok = got.mode == unix.S_IFDIR|n.Mode
	case fsview.File:
		ok = got.mode == unix.S_IFREG|n.Mode && got.size == uint64(len(n.Content))
	case fsview.Link:
		ok = got.mode&format == unix.S_IFLNK && got.size == uint64(len(n.Content))
	}
	if !ok || n.Kind != fsview.Bind && !c.fresh.has(got.Dev) {
		c.refuse("stat", n.Path, mismatch{"what was put there", "something else"})
	}
}
