package view

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// searchGrant protects the names in a write grant's root, and up to three folders below.
func (p *planner) searchGrant(root string) error {
	s := search{buf: p.host.buffer(), left: p.reach, skip: p.needless}
	if p.r.Root {
		s.may = func(path string, e *entry) bool { return p.may(e, path, unix.X_OK) }
	}
	if err := s.tree(root); err != nil {
		return unsearchable(root, err)
	}
	names := map[string]bool{} // of the root and of repositories
	folders := []string{root}
	p.insideLeft = insideNames
	for _, f := range s.found {
		names[f.path] = true
		p.hold(f)
		if f.whole {
			continue
		}
		if f.entry.is(typeLink) {
			if err := p.keep(f.path); err != nil {
				return err
			}
		}
		look := p.lookInside
		if f.bare || sameFold([]byte(baseOf(f.path)), ".git") {
			if at := f.tree(); at != root {
				folders = append(folders, at)
			}
			if f.entry.is(typeFile) {
				p.worktree(f.path)
			}
			look = func(string, bool) error { return p.repository(f) }
		}
		if err := look(f.path, false); err != nil {
			return err
		}
	}
	for _, at := range folders {
		for _, name := range hooked() {
			if path := join(at, name); !names[path] && p.points.access(path).write {
				p.miss(path)
			}
		}
	}
	p.v.searched = append(p.v.searched, root)
	return p.above(root)
}

// above holds what the repositories that a write grant is a part of lead to and name in it.
func (p *planner) above(grant string) error {
	for at := grant; at != "/"; {
		at = dirOf(at)
		if e, err := p.host.lstat(join(at, ".git")); err == nil {
			if err := p.repository(finding{path: join(at, ".git"), entry: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tree is the work tree of a repository; of a bare one the folder that git runs hooks in.
func (f *finding) tree() string {
	if f.bare {
		return f.path
	}
	return dirOf(f.path)
}

// needless reports whether a folder of a write grant needs no search: the server cannot write there, or it is a grant of
// its own and searched as such.
func (p *planner) needless(path string) bool {
	pt := p.points[path]
	return pt != nil && pt.flags&(mayWrite|noRead|noWrite|private) != 0
}

// repository protects what belongs to a .git: what a link of that name leads to, the folder that a file of that name
// names, and the common folder of either, gitrepository-layout(5); and what lies elsewhere and these lead to or name.
func (p *planner) repository(git finding) error {
	at, e := git.path, git.entry
	if e.is(typeLink) {
		r, err := p.host.resolve(at)
		if err != nil {
			return nil // missing, or kept as far as it leads
		}
		at, e = r.path, r.entry
	}
	if e.is(typeFile) {
		named, err := p.keepNamed(at, dirOf(git.path), parseGitFile)
		if err != nil || named == "" {
			return err
		}
		at = named
	}
	common, err := p.keepNamed(join(at, "commondir"), at, lineOf)
	if err != nil {
		return err
	}
	folders := []string{at, common}
	if git.bare && p.rootOf(at) == at { // granted itself: what runs code in it is held alone
		folders[0] = join(at, "hooks")
		for _, name := range [...]string{"hooks", "config", "config.worktree", "commondir"} {
			if err := p.keep(join(at, name)); err != nil {
				return err
			}
		}
	}
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		if err := p.lookInside(folder, true); err != nil {
			return err
		}
	}
	var files []string
	for _, folder := range [...]string{at, common} {
		if folder != "" {
			files = append(files, join(folder, "config"), join(folder, "config.worktree"))
		}
	}
	return p.configured(git.tree(), files...)
}

// keepNamed holds what the path in a small file leads to, and returns where that is; "" where there is no such file.
func (p *planner) keepNamed(file, folder string, parse func([]byte) (string, bool)) (string, error) {
	switch e, err := p.host.lstat(file); {
	case missing(err):
		return "", nil
	case err != nil:
		return "", p.shut(dirOf(file), err)
	case !e.is(typeFile):
		return "", nil
	}
	b, err := p.host.read(file, 8<<10)
	if err != nil && !errors.Is(err, os.ErrPermission) {
		return "", p.shut(dirOf(file), err)
	}
	if err != nil { // neither can its owner's git, which is this user's
		p.reason(file + " cannot be read: the repository that it names is not protected: " + err.Error())
		return "", nil
	}
	named, ok := parse(b)
	if !ok {
		return "", nil
	}
	if named[0] != '/' {
		named = folder + "/" + named
	}
	if err := p.keep(named); err != nil {
		return "", err
	}
	r, err := p.host.resolve(named)
	if err != nil {
		return "", nil
	}
	if pt := p.points[r.path]; pt != nil && pt.flags&mayWrite != 0 {
		p.reason(r.path + " is writable: " + file + " names it, and hooks and config of a repository run code outside of the sandbox")
	}
	return r.path, nil
}
