package fsview

import (
	"path"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// An alias is a folder at or below a write grant that is mounted at a second path too, as a home may be.
type alias struct {
	at string // in the write grant
	as string
}

// mountTable is the host's, read once.
func (h *lookups) mountTable() ([]platform.Mount, error) {
	if h.mounts == nil {
		b, err := platform.ReadSmall("/proc/self/mountinfo", 8<<20)
		if err != nil {
			return nil, err
		}
		if h.mounts, err = platform.ParseMountinfo(b); err != nil {
			return nil, err
		}
	}
	return h.mounts, nil
}

// mountOf is the mount that a path lies in; nil if the root is none.
func mountOf(mounts []platform.Mount, path string) (on *platform.Mount) {
	for i := range mounts {
		if m := &mounts[i]; policy.Within(path, m.Path) && (on == nil || len(m.Path) >= len(on.Path)) {
			on = m
		}
	}
	return on
}

// insideOf is where a path lies in the file system of the mount that it lies in.
func insideOf(on *platform.Mount, at string) string {
	return path.Clean(on.Root + "/" + at[len(on.Path):])
}

// elsewhere are the other paths at which a file or folder is mounted.
func elsewhere(mounts []platform.Mount, at string) (places []string) {
	on := mountOf(mounts, at)
	if on == nil {
		return nil
	}
	inside := insideOf(on, at)
	for i := range mounts {
		if m := &mounts[i]; m != on && m.Dev == on.Dev && policy.Within(inside, m.Root) {
			if place := path.Clean(m.Path + "/" + inside[len(m.Root):]); place != at {
				places = append(places, place)
			}
		}
	}
	return places
}

// aliases finds files in write grants that are mounted elsewhere too, as a whole or in part.
func (p *protection) aliases() []alias {
	if p.aliased != nil || len(p.writes) == 0 || p.strict {
		return p.aliased
	}
	p.aliased = []alias{}
	mounts, err := p.lookups.mountTable()
	if err != nil {
		p.warnBounded("other mounts of protected folders cannot be looked for: " + err.Error())
		return nil
	}
	for _, w := range p.writes {
		folders := []string{w}
		for i := range mounts {
			if policy.Below(mounts[i].Path, w) {
				folders = append(folders, mounts[i].Path)
			}
		}
		for _, at := range folders {
			for _, as := range elsewhere(mounts, at) {
				p.aliased = append(p.aliased, alias{at, as})
			}
			on := mountOf(mounts, at)
			if on == nil {
				continue
			}
			inside := insideOf(on, at)
			for i := range mounts {
				if m := &mounts[i]; m.Dev == on.Dev && policy.Below(m.Root, inside) {
					if part := path.Clean(at + "/" + m.Root[len(inside):]); part != m.Path {
						p.aliased = append(p.aliased, alias{part, m.Path})
					}
				}
			}
		}
	}
	return p.aliased
}

// places are the path itself, and where write grants show the same file: of a folder that is also a part of it.
func (p *protection) places(at string) []string {
	places := []string{at}
	for _, a := range p.aliases() {
		switch {
		case policy.Within(at, a.as):
			places = append(places, path.Clean(a.at+"/"+at[len(a.as):]))
		case policy.Below(a.as, at):
			places = append(places, a.at)
		}
	}
	return places
}
