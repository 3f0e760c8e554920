package fsview

import (
	"slices"
	"strconv"
)

// maxHeld is how many mounts protected names may take, those included that keep the folders above them in their places. A
// long path counts as several. The folders that half of them lie in are watched, each by a descriptor, of which there may be 1024.
const maxHeld = 1800

// A branching is a path that is held, or a folder above one, in the write grant root.
type branching struct {
	path  string
	root  string
	entry entry
	held  bool
	gone  bool // something above it is held
	fan   int  // how many of these lie directly in it
}

func (b *branching) weight() int { return 1 + len(b.path)/128 }

// holdAll holds what was found. Where that takes too many mounts, folders are held as a whole, those first in which most
// of it lies, and the root of a write grant last: a server must not be able to have its next launch refused by making names.
func (p *planner) holdAll() {
	if len(p.holds) == 0 {
		return
	}
	tree, total := p.holdTree(), 0
	for i := range tree {
		if b := &tree[i]; b.held {
			b.cover(tree[i+1:])
		}
	}
	for i := range tree {
		if b := &tree[i]; !b.gone && b.path != b.root {
			total += b.weight()
		}
	}
	if total > p.mounts {
		p.fold(tree, total)
	}
	var folded []string
	for i := range tree {
		b := &tree[i]
		if b.fan > 0 && b.held && !b.gone && total > p.mounts {
			folded = append(folded, b.path)
		}
		if b.held && !b.gone {
			p.points.allow(b.path, b.entry, held)
			p.v.Protected = append(p.v.Protected, b.path)
		}
	}
	if n := len(folded); n > 0 {
		is := " is"
		if n > 1 {
			is = " and " + strconv.Itoa(n-1) + " more are"
		}
		p.warn(folded[0] + is + " read-only as a whole: to protect each repository and each setting that runs code outside of the sandbox takes more than " +
			strconv.Itoa(p.mounts) + " mounts")
	}
}

// holdTree has everything that is held and the folders above it, up to its write grant, each folder directly before what
// lies in it.
func (p *planner) holdTree() []branching {
	at := make(map[string]*branching, 2*len(p.holds))
	for i := range p.holds {
		h := &p.holds[i]
		if b := at[h.path]; b != nil {
			b.held, b.entry = true, h.entry
			continue
		}
		root := p.rootOf(h.path)
		at[h.path] = &branching{path: h.path, root: root, entry: h.entry, held: true}
		for q := h.path; q != root; {
			q = dirOf(q)
			up := at[q]
			if up == nil {
				up = &branching{path: q, root: root}
				at[q] = up
				up.fan = 1
				continue
			}
			up.fan++
			break
		}
	}
	tree := make([]branching, 0, len(at))
	for _, b := range at {
		tree = append(tree, *b)
	}
	slices.SortFunc(tree, func(a, b branching) int { return order(a.path, b.path) })
	return tree
}

// rootOf is the write grant that a path lies in.
func (p *planner) rootOf(path string) string {
	for q := path; q != "/"; q = dirOf(q) {
		if pt := p.points[q]; pt != nil && pt.flags&mayWrite != 0 {
			return q
		}
	}
	return "/"
}

// cover marks what lies below b, of which rest begins with all there is, and returns the weight that this saves.
func (b *branching) cover(rest []branching) (saved int) {
	for i := range rest {
		r := &rest[i]
		if !below(r.path, b.path) {
			break
		}
		if r.root == b.root && !r.gone {
			r.gone = true
			saved += r.weight()
		}
	}
	return saved
}

// fold holds folders as a whole until the rest is few enough.
func (p *planner) fold(tree []branching, total int) {
	folders := make([]int, 0, len(tree))
	for i := range tree {
		if tree[i].fan > 0 {
			folders = append(folders, i)
		}
	}
	slices.SortStableFunc(folders, func(i, j int) int {
		a, b := &tree[i], &tree[j]
		if a.path == a.root != (b.path == b.root) { // roots last
			if a.path == a.root {
				return 1
			}
			return -1
		}
		return b.fan - a.fan
	})
	for _, i := range folders {
		b := &tree[i]
		if b.gone || b.held {
			continue
		}
		e, err := p.host.lstat(b.path)
		if err != nil {
			continue // it has gone meanwhile, and all in it
		}
		b.held, b.entry = true, e
		total -= b.cover(tree[i+1:])
		if total <= p.mounts {
			return
		}
	}
}
