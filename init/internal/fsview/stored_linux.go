package fsview

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// storeFolders shows the folders of the store that a launch may see. They are no grants of the policy: what the policy
// denies by name stays denied, and in a stage no name is protected, for nobody opens that folder with an editor.
type storeFolders struct{ *tree }

func (s storeFolders) add() {
	if p := &s.request.Package; p.Path != "" {
		s.points.allow(p.Path, p.entry(), mayRead)
		s.implied = append(s.implied, p.Path)
	}
	if p := &s.request.Stage; p.Path != "" {
		if s.strict {
			s.fail(&os.PathError{Op: "stage", Path: p.Path, Err: ErrStrictStage})
			return
		}
		s.points.allow(p.Path, p.entry(), mayWrite)
		s.writes = append(s.writes, p.Path)
	}
}

func (o *Opened) entry() entry { return entry{FileID: o.FileID, mode: typeFolder} }

// note says which folders of the store the server sees, for a plan.
func (s storeFolders) note() {
	for _, seen := range [...]struct {
		path string
		why  order.Why
	}{{s.request.Package.Path, order.WhyPackage}, {s.request.Stage.Path, order.WhyStage}} {
		if seen.path != "" {
			mode := s.points.access(seen.path).mode()
			s.view.Given = append(s.view.Given, order.Seen{Path: seen.path, Mode: mode, Why: seen.why})
		}
	}
}

// hideStore hides the other packages from a server that sees one of the store's folders, also in a write grant, where
// the store is read-only. What the policy grants by the name of the folder above stays.
func (p *protector) hideStore() {
	r := p.request
	if r.Package.Path == "" && r.Stage.Path == "" || p.points.has(dirOf(r.Store), mayRead|mayWrite) {
		return
	}
	p.hide(r.Store)
}
