package fsview

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/gitconfig"
)

// repository protects the files of a .git: the target of a link .git, the folder that a file .git names, and the
// common folder of either, gitrepository-layout(5); and files elsewhere that these lead to or name.
func (p *protector) repository(git *finding) {
	at, e := git.path, git.entry
	if e.is(typeLink) {
		r, err := p.lookups.resolve(at)
		if err != nil {
			return // missing, or protected as far as it leads
		}
		at, e = r.path, r.entry
	}
	if e.is(typeFile) {
		if at = p.protectNamed(at, dirOf(git.path), gitconfig.GitFile); at == "" {
			return
		}
	}
	folders := []string{at}
	if common := p.protectNamed(join(at, "commondir"), at, gitconfig.Line); common != "" {
		folders = append(folders, common)
	}
	var configs []string
	for _, folder := range folders {
		configs = append(configs, join(folder, "config"), join(folder, "config.worktree"))
	}
	tree := dirOf(git.path)
	if git.bare {
		tree = git.path // where git runs hooks
		if p.rootOf(at) == at {
			// A grant of the .git itself: only files that run code are protected.
			folders[0] = join(at, "hooks")
			for _, path := range [...]string{folders[0], configs[0], configs[1], join(at, "commondir")} {
				p.protectPath(path)
			}
		}
	}
	for _, folder := range folders {
		p.protectLinks(folder, true)
	}
	p.protectConfigured(tree, configs...)
}

// protectNamed protects the file or folder that the path in a small file leads to, and returns its path; "" where there
// is no such file.
func (p *protector) protectNamed(file, folder string, parse func([]byte) (string, bool)) string {
	e, err := p.lookups.lstat(file)
	if missing(err) || err == nil && !e.is(typeFile) {
		return ""
	}
	var b []byte
	if err == nil {
		b, err = p.lookups.read(file, maxPathFile)
		if errors.Is(err, os.ErrPermission) { // neither can its owner's git, which is this user's
			p.warnBounded(file + " cannot be read: the repository that it names is not protected: " + err.Error())
			return ""
		}
	}
	if err != nil {
		p.protectClosed(dirOf(file), err)
		return ""
	}
	named, ok := parse(b)
	if !ok {
		return ""
	}
	named = relativeTo(named, folder)
	p.protectPath(named)
	r, err := p.lookups.resolve(named)
	if err != nil {
		return ""
	}
	if p.points.has(r.path, mayWrite) && !p.gitdirs[r.path] {
		p.warnBounded(r.path + " is writable: " + file + " names it, " +
			"and hooks and config of a repository run code outside of the sandbox")
	}
	return r.path
}

// worktree shows the folders that a linked worktree's .git file names: its part of the repository, and the repository.
//
// The file may be the server's own work. So the folder it names has to name it back, outside of every write grant,
// and the repository has to be where git puts it: the folder that holds worktrees/NAME. A server that can forge that
// can write there already.
func (p *protector) worktree(gitFile string) {
	named, ok := p.lookups.pathIn(gitFile, dirOf(gitFile), gitconfig.GitFile)
	if !ok || !named.entry.is(typeFolder) || p.tooBroad(named.path) {
		return
	}
	if p.throughServerLink(&named, ErrLink) != nil || p.inWriteGrant(named.path) {
		return
	}
	back, ok := p.lookups.pathIn(join(named.path, "gitdir"), named.path, gitconfig.Line)
	if !ok || back.path != gitFile {
		return
	}
	p.imply(&named)
	common, ok := p.lookups.pathIn(join(named.path, "commondir"), named.path, gitconfig.Line)
	isHome := ok && common.entry.is(typeFolder) && dirOf(named.path) == join(common.path, "worktrees")
	if isHome && !p.tooBroad(common.path) {
		p.imply(&common)
	}
}

// pathIn resolves the path that a small file holds; a relative one starts at folder.
func (h *lookups) pathIn(file, folder string, parse func([]byte) (string, bool)) (r resolved, ok bool) {
	if e, err := h.lstat(file); err != nil || !e.is(typeFile) {
		return r, false
	}
	b, err := h.read(file, maxPathFile)
	if err != nil {
		return r, false
	}
	path, ok := parse(b)
	if !ok {
		return r, false
	}
	r, err = h.resolve(relativeTo(path, folder))
	return r, err == nil
}
