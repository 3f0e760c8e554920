package fsview

import (
	"errors"
	"os"
	"slices"

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
	p.insideLeft = p.insideMost
	for _, f := range s.found {
		p.hold(f)
		if f.whole {
			continue
		}
		if f.entry.is(typeLink) {
			if err := p.keep(f.path); err != nil {
				return err
			}
		}
		if !f.bare && !f.git() {
			if err := p.lookInside(f.path, false); err != nil {
				return err
			}
			continue
		}
		if f.entry.is(typeFile) {
			p.worktree(f.path)
		}
		if err := p.repository(f); err != nil {
			return err
		}
	}
	if err := p.beside(root, s.found); err != nil {
		return err
	}
	p.v.watched.searched = append(p.v.watched.searched, root)
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

// beside tells of the names that are neither in the root of a write grant nor beside a repository in it, and holds the paths
// that count there alone.
func (p *planner) beside(root string, found []finding) error {
	there, number := map[string]bool{}, map[string]int{}
	folders := []string{root}
	for i := range found {
		f := &found[i]
		there[f.path] = true
		number[dirOf(f.path)]++
		if at := dirOf(f.path); !f.bare && !f.whole && versioned(baseOf(f.path)) && !slices.Contains(folders[max(0, len(folders)-vcs):], at) {
			folders = append(folders, at)
		}
	}
	for _, at := range folders {
		if !p.points.access(at).write {
			continue
		}
		for i := range rooted {
			if err := p.keepAll(join(at, rooted[i])); err != nil {
				return err
			}
		}
		if p.missing > maxUnprotected {
			p.missing += len(hooked) - number[at]
			continue
		}
		for i := range hooked {
			if path := join(at, hooked[i]); !there[path] && p.points.access(path).write {
				p.miss(path)
			}
		}
	}
	return nil
}

// git reports whether it is a .git, in whatever spelling.
func (f *finding) git() bool { return sameFold([]byte(baseOf(f.path)), hooked[0]) }

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
