package fsview

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// maxPathFile is how much is read of a file that holds one path.
const maxPathFile = 8 << 10

// A protector finds files in write grants that would run code outside of the sandbox.
type protector struct {
	gitConfigs
}

// protectNames protects files inside write grants that would run code outside of the sandbox.
func (g *grants) protectNames() {
	bounds := g.request.bounds
	bounds.folders = cmp.Or(bounds.folders, searchFolders)
	bounds.mounts = cmp.Or(bounds.mounts, maxProtectMounts)
	bounds.inside = cmp.Or(bounds.inside, insideNames)
	g.view.watched.known, g.view.watched.folders = make(map[string]bool), bounds.folders
	links := hardLinks{&protection{tree: g.tree, bounds: bounds}, make(map[platform.FileID]hardLink)}
	p := &protector{gitConfigs{insides{links, make(map[string]bool), bounds.inside}, make(map[string][]gitSetting)}}
	for i := range g.denied {
		r := &g.denied[i]
		p.note(r.key, r.path, &r.entry, r.flag == noRead)
	}
	g.view.watched.passed = make(map[string]bool)
	for path := range g.points {
		if p.needsNoSearch(path) && g.inWriteGrant(path) {
			g.view.watched.passed[path] = true
		}
	}
	for i := range g.allowed {
		p.protectGrant(&g.allowed[i])
	}
	p.homes()
	for _, path := range slices.Concat(p.request.Own, p.request.Folders) {
		if path != "" && path[0] == '/' {
			p.protectPath(path)
		}
	}
	p.markProtected()
	p.check(g.allowed)
	p.hideOwn()
	if n := p.warned - maxProtectWarn; n > 0 {
		p.warn(strconv.Itoa(n) + " more are read-only as a whole, or name what is not protected: " +
			"the report lists what is, under protected")
	}
	if n := p.missing - maxUnprotected; n > 0 { // behind all paths, once they are sorted
		p.view.Unprotected = append(p.view.Unprotected, strconv.Itoa(n)+" more")
	}
}

// protectGrant protects the names in one grant.
func (p *protector) protectGrant(r *rule) {
	write := p.points.access(r.path).write
	switch {
	case r.git != notGit:
		p.protectGitFile(r)
	case protected.InRepository(r.path):
		if r.flag == mayWrite && write { // a name granted is writable: the report says so
			p.warn(r.path + " is writable: hooks and configuration of a repository run code outside of the sandbox")
		}
	case !r.entry.is(typeFolder):
	case r.flag != mayWrite:
		p.worktree(join(r.path, ".git"))
	case write:
		p.searchGrant(r.path)
	}
}

// searchGrant protects the names in a write grant's root, and up to three folders below.
func (p *protector) searchGrant(root string) {
	s := search{buf: p.lookups.buffer(), left: p.bounds.folders, skip: p.needsNoSearch}
	if p.request.Root {
		s.may = func(path string, e *entry) bool { return p.request.may(e, path, unix.X_OK) }
	}
	if err := s.tree(root); err != nil {
		p.fail(unsearchable(root, err))
		return
	}
	p.left = p.bounds.inside
	for i := range s.found {
		p.protectFinding(&s.found[i])
	}
	p.beside(root, s.found)
	p.view.watched.searched = append(p.view.watched.searched, root)
	// Repositories around the grant: files inside that they lead to or name.
	for at := root; at != "/"; {
		at = dirOf(at)
		if e, ok := p.lookups.stat(join(at, ".git")); ok {
			p.repository(&finding{path: join(at, ".git"), entry: e})
		}
	}
}

// protectFinding protects one of the names, and the files that belong to it.
func (p *protector) protectFinding(f *finding) {
	p.protect(*f)
	if f.whole {
		return
	}
	if f.entry.is(typeLink) {
		p.protectPath(f.path)
	}
	if !f.bare && !protected.IsGit(baseOf(f.path)) {
		p.protectLinks(f.path, false)
		return
	}
	if f.entry.is(typeFile) {
		p.worktree(f.path)
	}
	p.repository(f)
}

// beside notes the names that are neither in the root of a write grant nor beside a repository in it, and protects the
// paths that count there alone.
func (p *protector) beside(root string, found []finding) {
	there, number := map[string]bool{}, map[string]int{}
	folders := []string{root}
	for i := range found {
		f := &found[i]
		there[f.path] = true
		at := dirOf(f.path)
		number[at]++
		last := folders[max(0, len(folders)-protected.VersionControls):]
		if !f.bare && !f.whole && protected.IsVersionControl(baseOf(f.path)) && !slices.Contains(last, at) {
			folders = append(folders, at)
		}
	}
	for _, at := range folders {
		if !p.points.access(at).write {
			continue
		}
		for _, name := range protected.Beside() {
			p.protectDeep(join(at, name))
		}
		if p.missing > maxUnprotected {
			p.missing += len(protected.Anywhere()) - number[at]
			continue
		}
		for _, name := range protected.Anywhere() {
			if path := join(at, name); !there[path] && p.points.access(path).write {
				p.miss(path)
			}
		}
	}
}

// needsNoSearch reports whether a folder of a write grant need not be searched: the server cannot write there, or it
// is a grant of its own and searched as such.
func (p *protector) needsNoSearch(path string) bool {
	return p.points.has(path, mayWrite|noRead|noWrite|private)
}
