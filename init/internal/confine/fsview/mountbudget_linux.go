package fsview

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// maxProtectMounts is how many mounts protected names may take, those included that keep the folders above them in
// their places. A long path counts as several. The folders that half of them lie in are watched, each by a
// descriptor, of which there may be 1024.
const maxProtectMounts = 1800

// A branch is a path that is protected, or a folder above one, in the write grant root.
type branch struct {
	path      string
	root      string
	entry     entry
	protected bool
	covered   bool // something above it is protected
	fan       int  // how many branches lie directly in it
}

func (b *branch) weight() int { return 1 + len(b.path)/128 }

// gain orders folders by the mounts that protection as a whole saves; roots of write grants come last.
func (b *branch) gain() int {
	if b.path == b.root {
		return b.fan - math.MaxInt32
	}
	return b.fan
}

// branches are all of them, each folder directly before its content.
type branches []*branch

// markProtected makes the findings read-only. Where that takes too many mounts, folders are protected as a whole,
// those with most findings first, and the root of a write grant last: a server must not be able to have its next
// launch refused by making names.
func (p *protection) markProtected() {
	if len(p.findings) == 0 {
		return
	}
	all, total := p.branches(), 0
	for i, b := range all {
		if b.protected {
			all.cover(i)
		}
	}
	for _, b := range all {
		if !b.covered && b.path != b.root {
			total += b.weight()
		}
	}
	most := p.bounds.mounts
	if total > most {
		all.fold(&p.lookups, total-most)
	}
	var folded []string
	why := "what runs code outside would take more than " + strconv.Itoa(most) + " mounts to protect"
	for _, b := range all {
		if !b.protected || b.covered {
			continue
		}
		if b.fan > 0 && total > most {
			folded = append(folded, b.path)
			p.hold(b.path, why, false)
		}
		p.points.allow(b.path, b.entry, readOnly)
		p.view.Protected = append(p.view.Protected, b.path)
	}
	if n := len(folded); n > 0 {
		is := " is"
		if n > 1 {
			is = " and " + strconv.Itoa(n-1) + " more are"
		}
		p.warn(folded[0] + is + " read-only as a whole: " + why)
	}
}

// branches are the findings and the folders above them, up to their write grants.
func (p *protection) branches() branches {
	at := make(map[string]*branch, 2*len(p.findings))
	for i := range p.findings {
		f := &p.findings[i]
		if b := at[f.path]; b != nil {
			b.protected, b.entry = true, f.entry
			continue
		}
		root := p.rootOf(f.path)
		at[f.path] = &branch{path: f.path, root: root, entry: f.entry, protected: true}
		for q := f.path; q != root; {
			q = dirOf(q)
			if up := at[q]; up != nil {
				up.fan++
				break
			}
			at[q] = &branch{path: q, root: root, fan: 1}
		}
	}
	return slices.SortedFunc(maps.Values(at), func(a, b *branch) int { return comparePaths(a.path, b.path) })
}

// cover marks the branches below the i-th, and returns the weight that this saves.
func (bs branches) cover(i int) (saved int) {
	above := bs[i]
	for _, b := range bs[i+1:] {
		if !policy.Below(b.path, above.path) {
			break
		}
		if b.root == above.root && !b.covered {
			b.covered = true
			saved += b.weight()
		}
	}
	return saved
}

// fold protects folders as a whole until at least this much weight is saved.
func (bs branches) fold(h *lookups, excess int) {
	folders := make([]int, 0, len(bs))
	for i, b := range bs {
		if b.fan > 0 {
			folders = append(folders, i)
		}
	}
	slices.SortStableFunc(folders, func(i, j int) int { return cmp.Compare(bs[j].gain(), bs[i].gain()) })
	for _, i := range folders {
		b := bs[i]
		if b.covered || b.protected {
			continue
		}
		e, ok := h.stat(b.path)
		if !ok {
			continue // it has gone meanwhile, and all in it
		}
		b.protected, b.entry = true, e
		if excess -= bs.cover(i); excess <= 0 {
			return
		}
	}
}
