package fsview

// worktree shows what the .git file of a linked worktree names: its part of the repository, and the repository.
//
// The file may be the server's own work. So the folder it names has to name it back, outside of every write grant,
// and the repository has to be where git puts it: the folder that holds worktrees/NAME. Whoever can forge that can
// write there already.
func (p *planner) worktree(gitFile string) {
	e, err := p.host.lstat(gitFile)
	if err != nil || !e.is(typeFile) {
		return
	}
	named, ok := p.pathIn(gitFile, dirOf(gitFile), parseGitFile)
	if !ok || !named.entry.is(typeFolder) || p.suspect(&named) != nil || p.written(named.path) || p.never(named.path) {
		return
	}
	back, ok := p.pathIn(join(named.path, "gitdir"), named.path, lineOf)
	if !ok || back.path != gitFile {
		return
	}
	p.imply(&named)
	common, ok := p.pathIn(join(named.path, "commondir"), named.path, lineOf)
	if ok && !p.never(common.path) && dirOf(named.path) == join(common.path, "worktrees") && common.entry.is(typeFolder) {
		p.imply(&common)
	}
}

func lineOf(b []byte) (string, bool) { return oneLine(string(b)) }

// pathIn resolves the path that a small file holds; a relative one starts at folder.
func (p *planner) pathIn(file, folder string, parse func([]byte) (string, bool)) (r resolved, ok bool) {
	if e, err := p.host.lstat(file); err != nil || !e.is(typeFile) {
		return r, false
	}
	b, err := p.host.read(file, 8<<10)
	if err != nil {
		return r, false
	}
	path, ok := parse(b)
	if !ok {
		return r, false
	}
	if path[0] != '/' {
		path = folder + "/" + path
	}
	r, err = p.host.resolve(path)
	return r, err == nil
}

// written reports whether path lies in a write grant.
func (p *planner) written(path string) bool {
	for _, w := range p.writes {
		if within(path, w) {
			return true
		}
	}
	return false
}
