package fsview

import (
	"cmp"
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A planner is the work on one Request.
type planner struct {
	r      *Request
	v      *View
	host   host
	points points

	strict  bool
	grants  []grant
	writes  []string // what the write grants lead to: the server may have made whatever lies there
	homes   []string // the home of the environment, as written and as resolved
	own     []string // those, and the homes of the launcher's user
	denials []denial
	protection
	implied  []string
	realHome resolved // where the home is inside, and the links that lead there
}

// Plan works out the View of a Request. An error is an *os.PathError whose Op is the policy's key, or a *CommandError.
func Plan(r Request) (*View, error) {
	p := &planner{r: &r, v: new(View), points: make(points, 96), host: host{seen: make(map[string]*looked, 128)}}
	p.reach, p.mounts = cmp.Or(r.bounds.folders, searchFolders), cmp.Or(r.bounds.mounts, maxHeld)
	p.insideMost = cmp.Or(r.bounds.inside, insideNames)
	p.strict = r.Policy.Level == policy.Strict
	p.v.HostRoot = r.Policy.Filesystem.Default == "read" && !r.Shared
	for _, step := range [...]func() error{
		p.home, p.base, p.allow, p.deny, p.privateHome, p.protect, p.pipes, p.command, p.certificates, p.cwd, p.sockets,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if r.Shared {
		p.unheld()
	}
	p.points.emit(p.v, p.host.stat)
	p.size()
	if r.Shared {
		p.share()
	} else {
		p.outside()
	}
	p.report()
	return p.v, nil
}

// size sets the private tmpfs's caps: an inode for each 8 KiB, which is more than npx needs for real servers, besides those of
// the layout itself. No limit is 0, as tmpfs(5) has it.
func (p *planner) size() {
	size := p.r.Policy.Filesystem.TmpSize
	switch {
	case size == 0:
		p.v.TmpSize = 1 << 30
	case size > 0:
		p.v.TmpSize = int64(size)
	}
	if p.v.TmpSize > 0 {
		own := 16 + 2*len(p.v.Private) // the file system's root, what lies over denied paths, the folder and file of Landlock's proof
		for i := range p.v.Nodes {
			if slices.ContainsFunc(p.v.Private, func(n Node) bool { return below(p.v.Nodes[i].Path, n.Path) }) {
				own++
			}
		}
		p.v.TmpInodes = p.v.TmpSize>>13 + int64(own)
	}
}

// report sorts what people read.
func (p *planner) report() {
	for _, path := range p.implied {
		if pt := p.points[path]; pt != nil && pt.act == bind {
			p.v.Implied = append(p.v.Implied, path)
		}
	}
	for _, list := range [...]*[]string{&p.v.Implied, &p.v.Protected, &p.v.Unprotected, &p.v.Warnings} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

func (p *planner) warn(text string) { p.v.Warnings = append(p.v.Warnings, text) }
