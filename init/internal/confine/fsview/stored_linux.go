package fsview

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// storeFolders shows the folders of the store that a launch may see. They are no grants of the policy: denials by name
// hold, and in a stage no name is protected, for no user opens that folder with an editor.
type storeFolders struct{ *tree }

func (s storeFolders) add() {
	if p := &s.request.Package; p.Path != "" {
		s.show(p, mayRead)
		s.implied = append(s.implied, p.Path)
	}
	if p := &s.request.Stage; p.Path != "" {
		if s.strict {
			s.fail(&os.PathError{Op: "stage", Path: p.Path, Err: ErrStrictStage})
			return
		}
		s.show(p, mayWrite)
		s.writes = append(s.writes, p.Path)
	}
}

// show shows a folder, and the links on the way to it: the home may be one.
func (s storeFolders) show(o *Opened, f flag) {
	s.points.allow(o.Path, entry{FileID: o.FileID, mode: typeFolder}, f)
	if r, err := s.lookups.resolve(o.Given); err == nil && r.path == o.Path {
		s.points.show(&r)
	}
}

// open sees to it that the folders can be mounted and come to. Where no other root can hold them they are refused.
func (s storeFolders) open() {
	r := s.request
	for _, path := range [...]string{r.Package.Path, r.Stage.Path} {
		if path != "" && r.Root && !r.Shared {
			s.openAbove(path)
		}
	}
	if at := r.Package.Path; at != "" && r.Shared && !r.Open && !s.strict && s.inWriteGrant(at) {
		s.fail(&os.PathError{Op: "package", Path: at, Err: ErrWritten})
	}
}

// openAbove puts an empty folder in place of the first one on a path that a root launcher's server sees and may not
// enter: neither could init, which is the same user, mount anything below. The server loses nothing by that.
func (s storeFolders) openAbove(path string) {
	for i := 1; i < len(path); i++ {
		if path[i] != '/' || !s.points.access(path[:i]).read {
			continue
		}
		if e, ok := s.lookups.stat(path[:i]); ok && !s.request.enters(&e, path[:i]) {
			s.points.setGenerated(path[:i], private, 0o555, "")
			return
		}
	}
}

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
// the store is read-only. A grant of the folder above by its name stays.
func (p *protector) hideStore() {
	r := p.request
	if r.Package.Path == "" && r.Stage.Path == "" || p.points.has(dirOf(r.Store), mayRead|mayWrite) {
		return
	}
	p.hide(r.Store)
}
