package rows

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"golang.org/x/sys/unix"
)

// pivot makes the new root the root and takes the host's tree away; pivot_root(2) describes the two dots. Then every
// entry is looked at once more, as the server will see it.
type pivot struct {
	outside program.Op
	nodes   []stat
	covers  []stat
	cwd     program.Op
	cwdAt   program.Addr
	root    stat // of the new root, and of its /dev/pts
	pts     stat
	cap     program.Op // how much the private folders can hold
	capAt   program.Addr
}

// ptsPath is where pseudo-terminals are; pts(4).
const ptsPath = "/dev/pts"

const pathMax = 4096

func (r *pivot) ops(b *build) {
	v := b.View
	b.Do(sys.PivotRoot(".", "."))
	b.Do(sys.Umount2(".", unix.MNT_DETACH))
	if !v.HostRoot { // that came frozen
		b.Do(sys.MountSetattr(sys.CWD, "/", 0, attrReadOnly))
	}
	if v.Outside != "" {
		r.outside = b.outside(program.Errno(unix.ENOENT))
	}
	b.Do(sys.Chdir(v.Cwd))
	r.cwdAt = b.Space(pathMax)
	r.cwd = b.Ask(sys.Getcwd(r.cwdAt, pathMax))
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

// outside looks at something of the host that is not the server's.
func (b *build) outside(demand program.Arg) program.Op {
	return b.AskFor(demand, sys.Statx(sys.CWD, b.View.Outside, 0, 0, b.Space(statxSize)))
}

func (r *pivot) check(c *check) {
	v := c.View
	if v.Outside != "" {
		c.fact("stat "+v.Outside+" before", "0", c.result(c.launch.outside))
		c.fact("stat "+v.Outside, "ENOENT", c.result(r.outside))
	}
	c.fact("working directory", v.Cwd, c.path(r.cwd, r.cwdAt))
	c.fresh = r.devices(c)
	for i := range r.nodes {
		n := nodeAt(v, i)
		if n.Kind == view.Bind && c.covered(n.Path) {
			continue
		}
		c.node(n, c.stat(r.nodes[i]))
	}
	for i := range r.covers {
		c.cover(&v.Covers[i], c.stat(r.covers[i]))
	}
	c.mounts()
	r.capacity(c)
	c.sockets()
}

// devices are the file systems that were made for the sandbox, as mountinfo writes them.
func (r *pivot) devices(c *check) freshDevices {
	pts := c.stat(r.pts).dev
	c.factIf(pts != 0 && pts != c.stat(c.launch.hostDevpts).dev, ptsPath, "the sandbox's own", choose(pts != 0, "device "+devName(pts), ""))
	m := freshDevices{pts: devName(pts), proc: c.procDev()}
	if !c.View.HostRoot {
		m.root = devName(c.stat(r.root).dev)
	}
	if len(c.View.Private) > 0 {
		m.scratch = devName(c.stat(r.nodes[len(c.View.Nodes)]).dev)
	}
	return m
}

// Where struct statfs has what it says, in all 64-bit architectures; statfs(2).
const statfsSize, statfsBlock, statfsBlocks, statfsFiles = 128, 8, 16, 40

// capacity compares what the private folders can hold together. The kernel counts in pages.
func (r *pivot) capacity(c *check) {
	if len(c.View.Private) == 0 {
		return
	}
	page := uint64(os.Getpagesize())
	size := func(pages, page, files uint64) string {
		return strconv.FormatUint(pages, 10) + " pages of " + strconv.FormatUint(page, 10) + " bytes, " + strconv.FormatUint(files, 10) + " files"
	}
	c.fact("private folders", size((uint64(c.View.TmpSize)+page-1)/page, page, uint64(c.View.TmpInodes)),
		size(c.Word(r.capAt.Plus(statfsBlocks)), c.Word(r.capAt.Plus(statfsBlock)), c.Word(r.capAt.Plus(statfsFiles))))
}

// nodeAt counts the private folders behind the nodes.
func nodeAt(v *view.View, i int) *view.Node {
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

// node compares what lies at a path with what was put there: a bind by its inode, the rest by type, mode and size.
func (c *check) node(n *view.Node, got inode) {
	const format = unix.S_IFMT
	ok := false
	switch n.Kind {
	case view.Bind:
		ok = got.dev == n.Dev && got.ino == n.Ino
	case view.Dir:
		ok = got.mode == unix.S_IFDIR|n.Mode
	case view.File:
		ok = got.mode == unix.S_IFREG|n.Mode && got.size == uint64(len(n.Content))
	case view.Link:
		ok = got.mode&format == unix.S_IFLNK && got.size == uint64(len(n.Content))
	}
	if !ok || n.Kind != view.Bind && !c.fresh.has(got.dev) {
		c.refuse("stat", n.Path, mismatch{"what was put there", "something else"})
	}
}

// cover compares what lies over a path.
func (c *check) cover(k *view.Cover, got inode) {
	ok := got.dev == k.Dev && got.ino == k.Ino
	if k.Kind == view.Pin && k.Source == "" { // a folder that was made for what lies below it
		ok = got.mode&unix.S_IFMT == unix.S_IFDIR && c.fresh.has(got.dev)
	}
	if k.Kind == view.Deny {
		want := uint32(unix.S_IFREG)
		if k.Folder {
			want = unix.S_IFDIR | 0o555
		}
		ok = got.mode == want && (got.dev != k.Dev || got.ino != k.Ino) && devName(got.dev) == c.fresh.scratch
	}
	if !ok {
		c.refuse("stat", k.Path, mismatch{"what covers it", "something else"})
	}
}
