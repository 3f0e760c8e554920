package view

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// How far a write grant is searched for repositories.
const (
	searchDepth   = 3
	searchEntries = 10000
)

// A search goes through the folders of one write grant, the shallow ones first, and never through a link.
type search struct {
	folders []found
	entries int
}

type found struct {
	path  string
	depth int
}

// search protects the names in a write grant's root, and in every repository in it or up to three folders below.
func (p *planner) search(root string) {
	if !p.points.access(root).write {
		return
	}
	p.holdNames(root)
	p.worktree(join(root, ".git"))
	s := search{folders: []found{{root, 0}}}
	for i := 0; i < len(s.folders) && s.entries <= searchEntries; i++ {
		p.look(&s, s.folders[i])
	}
	if s.entries > searchEntries {
		p.warn(root + ": not all of it was searched for repositories: more than " + strconv.Itoa(searchEntries) + " entries")
	}
}

// look lists one folder. In the deepest ones only the name .git is asked for.
func (p *planner) look(s *search, at found) {
	if at.depth == searchDepth {
		s.entries++
		if _, err := statx(join(at.path, ".git")); err == nil {
			p.repository(at.path)
		}
		return
	}
	repository := false
	err := p.host.list(at.path, func(name []byte, kind byte) bool {
		s.entries++
		if string(name) == ".git" {
			repository = true
			return true
		}
		if kind == unix.DT_UNKNOWN {
			if e, err := statx(join(at.path, string(name))); err == nil && e.is(typeFolder) {
				kind = unix.DT_DIR
			}
		}
		if kind == unix.DT_DIR {
			s.folders = append(s.folders, found{join(at.path, string(name)), at.depth + 1})
		}
		return s.entries <= searchEntries
	})
	if err != nil {
		p.warn(at.path + ": not searched for repositories: " + err.Error())
	}
	if repository && at.depth > 0 {
		p.repository(at.path)
	}
}

func (p *planner) repository(path string) {
	p.holdNames(path)
	p.worktree(join(path, ".git"))
}
