package view

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A planner is the work on one Request.
type planner struct {
	r      *Request
	v      *View
	host   host
	points points

	strict   bool
	grants   []grant
	writes   []string // what the write grants lead to: the server may have made whatever lies there
	homes    []string // the home of the environment, as written and as resolved
	denials  []denial
	implied  []string
	realHome resolved // where the home is inside, and the links that lead there
}

// Plan works out the View of a Request. An error is an *os.PathError whose Op is the policy's key, or a *CommandError.
func Plan(r Request) (*View, error) {
	p := &planner{r: &r, v: new(View), points: make(points, 96), host: host{seen: make(map[string]*looked, 128)}}
	p.strict = r.Policy.Level == policy.Strict
	p.v.HostRoot = r.Policy.Filesystem.Default == "read" && !r.Shared
	p.size()
	for _, step := range [...]func() error{
		p.home, p.base, p.allow, p.deny, p.privateHome, p.protect, p.command, p.certificates, p.cwd,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if r.Shared {
		p.unheld()
	}
	p.points.emit(p.v, p.host.stat)
	if r.Shared {
		p.share()
	} else {
		p.outside()
	}
	p.report()
	return p.v, nil
}

// size sets the private tmpfs's caps: an inode for each 16 KiB is what npx needs for real servers. No limit is 0, as
// tmpfs(5) has it.
func (p *planner) size() {
	size := p.r.Policy.Filesystem.TmpSize
	switch {
	case size == 0:
		p.v.TmpSize = 1 << 30
	case size > 0:
		p.v.TmpSize = int64(size)
	}
	if p.v.TmpSize > 0 {
		p.v.TmpInodes = max(p.v.TmpSize>>14, 1)
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
