package fsview

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/gitconfig"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
)

// A write grant of a .git that is a file, of a worktree or a submodule, opens the folders that git writes: the folder
// that the file names, and of a worktree's repository a part. The file may be a stranger's work, so that folder has to
// name the file back, in a file that only a writer of that folder can have made.

// A gitFile has the folders that such a grant opens.
type gitFile struct {
	dir    resolved   // the gitdir, gitrepository-layout(5)
	common resolved   // the folder of a worktree's repository; no path for a submodule
	parts  []resolved // of common, that are written
}

// worktree reports whether the file is a worktree's. Then the files that lead to other configuration are held there.
func (f *gitFile) worktree() bool { return f.common.path != "" }

// heldInWorktree are the names in a worktree's gitdir that lead to other configuration, or hold it.
func heldInWorktree() []string {
	return []string{"commondir", "gitdir", "config.worktree", "modules"}
}

// isGitFile reports whether a grant for writing is of a .git that is a file.
func isGitFile(r *resolved) bool { return r.entry.is(typeFile) && protected.IsGit(baseOf(r.path)) }

// gitFile finds the folders that the grant of a .git file opens, or why there are none.
func (t offers) gitFile(at string) (f gitFile, why string) {
	var ok bool
	f.dir, ok = t.lookups.pathIn(at, dirOf(at), gitconfig.GitFile)
	if !ok || !f.dir.entry.is(typeFolder) {
		return f, "it names no folder"
	}
	named := "it names " + f.dir.path + ", which "
	switch {
	case t.request.Shared:
		return f, named + "a server without a root of its own could not be held in"
	case t.guarded(f.dir.path), t.tooBroad(f.dir.path):
		return f, named + "is no folder of git"
	}
	if _, is := t.lookups.stat(join(f.dir.path, "gitdir")); !is {
		return f, t.submodule(&f, at, named)
	}
	back, ok := t.lookups.pathIn(join(f.dir.path, "gitdir"), f.dir.path, gitconfig.Line)
	if !ok || back.path != at {
		return f, named + "does not name it back"
	}
	f.common, ok = t.lookups.pathIn(join(f.dir.path, "commondir"), f.dir.path, gitconfig.Line)
	if !ok || !f.common.entry.is(typeFolder) || dirOf(f.dir.path) != join(f.common.path, "worktrees") ||
		t.tooBroad(f.common.path) {
		return f, named + "lies in no repository"
	}
	for _, name := range [...]string{"objects", "refs", "logs"} {
		part := resolved{path: join(f.common.path, name)}
		if part.entry, ok = t.lookups.stat(part.path); ok && part.entry.is(typeFolder) { // and no link
			f.parts = append(f.parts, part)
		}
	}
	return f, ""
}

// submodule is why a .git file is no submodule's: the configuration in the gitdir has to name its work tree.
func (t offers) submodule(f *gitFile, at, named string) (why string) {
	config := join(f.dir.path, "config")
	text, err := t.lookups.read(config, maxConfig)
	if err != nil {
		return named + "does not name it back"
	}
	tree := ""
	gitconfig.Parse(string(text), func(section, name, value string) bool {
		if section == "core" && name == "worktree" && value != "" {
			tree = value
		}
		return true
	})
	if tree == "" || strings.IndexByte(tree, 0) >= 0 {
		return named + "does not name it back"
	}
	if r, err := t.lookups.resolve(relativeTo(tree, f.dir.path)); err != nil || r.path != dirOf(at) {
		return named + "does not name it back"
	}
	return ""
}

// gitFiles are the grants of .git files.
type gitFiles struct{ *grants }

// find returns the rules of the folders that grants of .git files open. Of a worktree the file itself stays read-only:
// another gitdir in it would bring another configuration.
func (g gitFiles) find() (opened []rule) {
	for i := range g.allowed {
		r := &g.allowed[i]
		if r.flag != mayWrite || g.strict || g.request.Open || !isGitFile(&r.resolved) {
			continue
		}
		f, why := offers{g.tree}.gitFile(r.path)
		if why != "" {
			g.warn(r.path + " is granted, and nothing that it names: " + why)
			continue
		}
		open := func(at resolved, of byGit) {
			g.points.show(&at)
			at.links = nil
			opened = append(opened, rule{key: r.key, given: r.given, flag: mayWrite, resolved: at, git: of})
		}
		g.gitdirs[f.dir.path] = true
		if f.worktree() {
			r.flag = mayRead
			g.imply(&f.common)
			open(f.dir, gitWorktree)
		} else {
			open(f.dir, gitWhole)
		}
		for _, part := range f.parts {
			open(part, gitPart)
		}
	}
	return opened
}

// byGit says which part of a repository a rule opens because of a .git file.
type byGit uint8

const (
	notGit      byGit = iota
	gitWhole          // a submodule's gitdir
	gitWorktree       // a worktree's gitdir
	gitPart           // a folder of the common one
)

// open adds these, but where a denial of the user's is the nearest statement.
func (g gitFiles) open(opened []rule) {
	for i := range opened {
		if r := &opened[i]; !(offers{g.tree}).heldAbove(r.path) {
			g.allow(r, mayWrite)
			g.allowed = append(g.allowed, *r)
		}
	}
}

// heldAbove reports whether a denial is nearer to a path than any grant.
func (t offers) heldAbove(path string) bool {
	for q := path; q != "/"; q = dirOf(q) {
		switch {
		case t.points.has(q, noRead|noWrite):
			return true
		case t.points.has(q, mayWrite):
			return false
		}
	}
	return false
}

// protectGitFile protects in a worktree's gitdir the files that lead to other configuration, and warns.
func (p *protector) protectGitFile(r *rule) {
	switch r.git {
	case gitWhole:
		p.warn(r.path + " is writable: hooks and configuration of a repository run code outside of the sandbox")
	case gitWorktree:
		p.warn(r.path + " is writable: git outside of the sandbox follows links there, and runs what a repository in " +
			"its index configures")
		for _, name := range heldInWorktree() {
			p.protectPath(join(r.path, name))
		}
		at := join(r.path, "config.worktree")
		common := dirOf(dirOf(r.path))
		if _, is := p.lookups.stat(at); !is && p.readsWorktreeConfig(join(common, "config")) {
			p.warn(at + " is not there and can be made: the repository reads it, and what it names runs code outside " +
				"of the sandbox")
		}
	}
}

// readsWorktreeConfig reports whether a configuration sets extensions.worktreeConfig.
func (p *protector) readsWorktreeConfig(config string) (is bool) {
	text, err := p.lookups.read(config, maxConfig)
	if err != nil {
		return false
	}
	gitconfig.Parse(string(text), func(section, name, value string) bool {
		if section == "extensions" && name == "worktreeconfig" {
			value = strings.ToLower(value)
			is = value != "false" && value != "no" && value != "off" && value != "0"
		}
		return true
	})
	return is
}
