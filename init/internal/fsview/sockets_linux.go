package fsview

import "slices"

const socketsCrowd = "programs keep sockets for others there"

// sockets covers the host's bound sockets below the grants, or says that the server may have no socket of AF_UNIX.
func (p *planner) sockets() error {
	if p.r.Shared || p.v.HostRoot {
		return nil // the filter refuses the family there
	}
	shown := p.folders()
	for _, f := range shown {
		if why := p.crowded(f); why != "" {
			p.v.Sockets = Sockets{Grant: f, Why: why}
			return nil
		}
	}
	if p.r.Bound == nil || len(shown) == 0 {
		return nil
	}
	bound, err := p.r.Bound()
	if err != nil {
		p.v.Sockets.Unlisted = err
		return nil
	}
	if len(bound) > 0 {
		s := covering{planner: p, shown: shown, places: map[string][]string{}, bound: map[uint32]bool{}}
		s.all(bound)
	}
	return nil
}

// folders are those that are granted or implied, without what lies below another of them.
func (p *planner) folders() (all []string) {
	for i := range p.grants {
		if g := &p.grants[i]; g.entry.is(typeFolder) && p.points.access(g.path).read {
			all = append(all, g.path)
		}
	}
	for _, path := range p.implied {
		if pt := p.points[path]; pt.entry.is(typeFolder) {
			all = append(all, path)
		}
	}
	slices.SortFunc(all, order)
	outer := ""
	return slices.DeleteFunc(all, func(path string) bool {
		if outer != "" && within(path, outer) {
			return true
		}
		outer = path
		return false
	})
}

// crowded says why sockets for other programs have to be expected in a folder: agents, desktops, multiplexers and shells
// keep theirs in the home, in folders for temporary files and in the runtime's.
func (p *planner) crowded(folder string) (why string) {
	for _, c := range p.r.Crowded {
		for _, path := range p.names(c) {
			if within(folder, path) || within(path, folder) {
				return "it is, holds or lies in " + path + ", and " + socketsCrowd
			}
		}
	}
	for _, h := range slices.Concat(p.homes, p.r.Homes) {
		for _, path := range p.names(h) {
			if !systemFolder(path) && within(path, folder) {
				return "it is or holds the home folder " + path + ", and " + socketsCrowd
			}
		}
	}
	return ""
}

// names are a folder's path as it is written and as it resolves; none of what is no absolute path of a folder.
func (p *planner) names(folder string) []string {
	if folder == "" || folder == "/" || folder[0] != '/' {
		return nil
	}
	r, err := p.host.resolve(folder)
	if err != nil || r.path == folder || r.path == "/" {
		return []string{folder}
	}
	return []string{folder, r.path}
}
