package fsview

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// How far protected folders are looked through: those of settings have them at the top, a .git the hooks of a submodule of a
// submodule five folders down. The names are those of all that is found in one write grant.
const (
	insideDepth = 2
	insideGit   = 5
	insideNames = 100000
)

var errMuch = errors.New("what is protected there holds more than 100000 names")

// An inside is what was seen in one protected folder, or in one that a link in it leads to.
type inside struct {
	*planner
	root    string
	git     bool
	write   bool // the server could have made names of what lies there, before it was protected
	folders []string
	links   []string
}

// lookInside holds what the links in a protected folder lead to, as scripts for .git/hooks and files of a folder of settings: a
// mount keeps the link, and not what lies elsewhere in a write grant.
func (p *planner) lookInside(at string, git bool) error {
	r, err := p.host.resolve(at)
	if err != nil || !r.entry.is(typeFolder) || p.r.Shared || p.strict {
		return nil
	}
	if before, ok := p.looked[r.path]; ok && (before || !git) {
		return nil
	}
	if p.looked == nil {
		p.looked = make(map[string]bool)
	}
	p.looked[r.path] = git
	in := inside{planner: p, root: r.path, git: git, write: slices.ContainsFunc(p.places(r.path), p.written)}
	deep := insideDepth
	if git {
		deep = insideGit
	}
	level := []string{r.path}
	for depth := 0; depth <= deep && len(level) > 0; depth++ {
		in.folders, in.links = nil, nil
		for _, folder := range level {
			err := in.list(folder)
			switch {
			case p.insideLeft < 0:
				return p.tooMuch(dirOf(r.path))
			case err != nil && in.write && !p.unused(folder, err):
				return unsearchable(folder, err)
			}
		}
		for _, link := range in.links {
			if err := in.leads(link); err != nil {
				return err
			}
		}
		level = in.folders
	}
	return nil
}

// tooMuch holds a folder as a whole, and be it a write grant: the server can make any number of names.
func (p *planner) tooMuch(folder string) error {
	e, err := p.host.lstat(folder)
	if err != nil {
		return unsearchable(folder, err)
	}
	p.hold(finding{path: folder, entry: e, whole: true, err: errMuch})
	return nil
}

// unused reports whether a folder that cannot be listed is gone, or its user's programs cannot use what lies there either.
func (p *planner) unused(folder string, err error) bool {
	if missing(errors.Unwrap(err)) {
		return true
	}
	e, err := statx(folder)
	return missing(err) || err == nil && (int(e.uid) != p.r.UID || e.mode&0o100 == 0)
}

// list finds the links and folders in a folder, and files with other names. It leaves out what a repository has much of and
// what is neither executed nor settings, packages, and the checkouts of agents, see startsCode.
func (in *inside) list(folder string) error {
	parts, first := uint8(0), len(in.folders)
	err := in.host.list(folder, func(name []byte, kind byte) bool {
		if in.insideLeft--; in.insideLeft < 0 {
			return false
		}
		parts |= gitPart(name)
		path := join(folder, string(name))
		e := entry{mode: uint32(kind) << 12} // DT_LNK and so on are the types of st_mode
		if kind == unix.DT_UNKNOWN || kind == unix.DT_REG && in.write {
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
			in.linked("allowWrite", path, &e, false)
		}
		return true
	})
	in.folders = slices.DeleteFunc(in.folders, func(path string) bool {
		first--
		return first < 0 && in.leftOut(path, parts&1 != 0)
	})
	return err
}

// leftOut reports whether a folder is one of those, in a repository if HEAD is beside it: a submodule may have any name.
func (in *inside) leftOut(path string, head bool) bool {
	name, agent := baseOf(path), baseOf(dirOf(path))
	if in.git {
		return head && slices.Contains([]string{"objects", "refs", "logs", "lfs", "annex"}, name)
	}
	return name == unsearched || name == "worktrees" && (agent == ".claude" || agent == ".cursor")
}

// leads holds what a link leads to, and looks into it if it is a folder. One that leads to a folder above itself leads to the
// project, of which a server shall write the rest.
func (in *inside) leads(link string) error {
	r, err := in.host.resolve(link)
	switch {
	case err == nil && within(in.root, r.path):
		if in.points.access(r.path).write && r.path != in.root {
			in.reason(link + " leads to " + r.path + ", which is writable")
		}
		return nil
	case err == nil && within(r.path, in.root):
		return nil
	}
	if lost := in.keep(link); lost != nil || err != nil || !in.points.access(r.path).write {
		return lost
	}
	if _, ok := in.looked[r.path]; !ok && r.entry.is(typeFolder) {
		in.looked[r.path] = in.git
		in.folders = append(in.folders, r.path)
	}
	return nil
}
