package fsview

import (
	"errors"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// How far protected folders are looked through: those of settings have them at the top, a .git the hooks of a submodule
// of a submodule five folders down. The names are those of all that is found in one write grant.
const (
	insideDepth = 2
	insideGit   = 5
	insideNames = 100000
)

var errMuch = errors.New("what is protected there holds more than 100000 names")

// insides protect the targets of links in protected folders.
type insides struct {
	hardLinks
	looked map[string]bool // protected folders, and targets of links in them; true as a repository
	left   int             // names that may still be looked at in the protected folders of one grant
}

// An inside has the folders and links found in one protected folder, or in one that a link in it leads to.
type inside struct {
	*insides
	root    string
	git     bool
	write   bool // the server could have made names of files there, before it was protected
	folders []string
	links   []string
}

// protectLinks protects the targets of the links in a protected folder, as scripts for .git/hooks and files of a folder
// of settings: a mount keeps the link, and not a target elsewhere in a write grant.
func (s *insides) protectLinks(at string, git bool) {
	r, err := s.lookups.resolve(at)
	if err != nil || !r.entry.is(typeFolder) || s.request.Shared || s.strict {
		return
	}
	if before, ok := s.looked[r.path]; ok && (before || !git) {
		return
	}
	s.looked[r.path] = git
	in := inside{insides: s, root: r.path, git: git, write: slices.ContainsFunc(s.places(r.path), s.inWriteGrant)}
	deep := insideDepth
	if git {
		deep = insideGit
	}
	level := []string{r.path}
	for depth := 0; depth <= deep && len(level) > 0; depth++ {
		in.folders, in.links = nil, nil
		for _, folder := range level {
			err := in.list(folder)
			if s.left < 0 { // the server can make any number of names
				s.protectWhole(dirOf(r.path), errMuch)
				return
			}
			if err != nil && in.write && !s.unused(folder, err) {
				s.fail(unsearchable(folder, err))
			}
		}
		for _, link := range in.links {
			in.follow(link)
		}
		level = in.folders
	}
}

// unused reports whether a folder that cannot be listed is gone, or its user's programs cannot use the files there
// either.
func (s *insides) unused(folder string, err error) bool {
	if missing(errors.Unwrap(err)) {
		return true
	}
	e, err := statx(folder)
	return missing(err) || err == nil && (int(e.uid) != s.request.UID || e.mode&0o100 == 0)
}

// list finds the links and folders in a folder, and files with other names.
func (in *inside) list(folder string) error {
	var parts protected.Parts
	before := len(in.folders)
	err := in.lookups.list(folder, func(name []byte, kind uint32) bool {
		if in.left--; in.left < 0 {
			return false
		}
		parts.Add(name)
		path := join(folder, string(name))
		e := entry{mode: kind}
		if kind == 0 || kind == typeFile && in.write {
			var err error
			if e, err = statx(path); err != nil {
				return true // gone; or the folder may be listed and not entered, by its user's programs neither
			}
		}
		switch {
		case e.is(typeLink):
			in.links = append(in.links, path)
		case e.is(typeFolder):
			in.folders = append(in.folders, path)
		default:
			in.note("allowWrite", path, &e, false)
		}
		return true
	})
	kept := slices.DeleteFunc(in.folders[before:], func(path string) bool { return in.leftOut(path, parts.Head()) })
	in.folders = in.folders[:before+len(kept)]
	return err
}

// leftOut reports whether a folder is none to look into: of a repository, which has HEAD beside it whatever its name
// is, one that has much and is neither executed nor settings; and packages, and the checkouts of agents.
func (in *inside) leftOut(path string, head bool) bool {
	name := baseOf(path)
	if in.git {
		return head && slices.Contains([]string{"objects", "refs", "logs", "lfs", "annex"}, name)
	}
	return name == unsearched || protected.IsAgentWorktrees(path)
}

// follow protects the target of a link, and searches a target folder. A link to a folder above itself leads to the
// project, which the server is meant to write.
func (in *inside) follow(link string) {
	r, err := in.lookups.resolve(link)
	switch {
	case err == nil && policy.Within(in.root, r.path):
		if in.points.access(r.path).write && r.path != in.root {
			in.warnBounded(link + " leads to " + r.path + ", which is writable")
		}
		return
	case err == nil && policy.Within(r.path, in.root):
		return
	}
	in.protectPath(link)
	if err != nil || !in.points.access(r.path).write {
		return
	}
	if _, ok := in.looked[r.path]; !ok && r.entry.is(typeFolder) {
		in.looked[r.path] = in.git
		in.folders = append(in.folders, r.path)
	}
}

// protectDeep protects the file that a path leads to, and the targets of links in it.
func (s *insides) protectDeep(at string) {
	s.protectPath(at)
	s.protectLinks(at, false)
}
