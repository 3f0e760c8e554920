package fsview

import (
	"errors"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

const noHome = "/tmp/home"

// home finds the HOME that the server will have, where nothing can be wrong with it.
func (p *planner) home() error {
	p.v.Home = noHome
	p.realHome = resolved{path: noHome}
	h := lookup(p.r.Env, "HOME")
	if h == "" || h[0] != '/' {
		return nil
	}
	h = path.Clean(h)
	if systemFolder(h) {
		return nil
	}
	p.homes = append(p.homes, h)
	r, err := p.host.resolve(h)
	switch {
	case err == nil:
		if !r.entry.is(typeFolder) || systemFolder(r.path) {
			return nil
		}
		p.homes = append(p.homes, r.path)
	case errors.Is(err, ErrSystem) || p.v.HostRoot: // no mount point can be made in the host's root
		return nil
	default:
		r = resolved{path: h}
	}
	p.v.Home, p.realHome = h, r
	return nil
}

// privateHome puts an empty home there, unless the policy shows the host's.
func (p *planner) privateHome() error {
	r := &p.realHome
	switch {
	case p.points.access(r.path).read && (!p.r.Open || p.r.Private == ""):
	case p.r.Shared:
		p.v.Home = join(p.r.Private, PrivateHome)
	default:
		p.points.make(r.path, private, 0o700, "")
	}
	p.show(r)
	return nil
}

// systemFolder reports whether a path cannot be a home: what programs or other homes live in.
func systemFolder(path string) bool {
	switch path {
	case "/", "/tmp", "/var", "/home", "/opt", "/srv", "/run", "/nix", "/gnu", "/mnt", "/media":
		return true
	}
	if system(path) || len(path) >= 4 && path[:4] == "/lib" {
		return true
	}
	for _, s := range [...]string{"/usr", "/bin", "/sbin", "/etc", "/boot", "/nix/store", "/gnu/store"} {
		if within(path, s) {
			return true
		}
	}
	return false
}

// cwd decides the working folder.
func (p *planner) cwd() error {
	if c := p.r.Policy.Cwd; c != "" {
		at, ok := p.inside(c)
		if !ok {
			return &os.PathError{Op: "cwd", Path: c, Err: ErrNotVisible}
		}
		p.v.Cwd = at
		return nil
	}
	if d := p.r.Dir; d != "" && d[0] == '/' {
		if at, ok := p.inside(path.Clean(d)); ok {
			p.v.Cwd = at
			return nil
		}
	}
	p.v.Cwd = p.v.Home
	if p.points.access(p.realHome.path).read {
		if r, err := p.host.resolve(p.v.Home); err != nil || !r.entry.is(typeFolder) {
			return &os.PathError{Op: "cwd", Path: p.v.Home, Err: unix.ENOTDIR}
		}
	}
	return nil
}

// inside finds the folder that a path of the host is inside, if the server will see it there.
func (p *planner) inside(name string) (string, bool) {
	if p.r.Shared {
		return p.insideShared(name)
	}
	if p.exists(name, private|folder) {
		return name, true
	}
	r, err := p.host.resolve(name)
	if err != nil || !r.entry.is(typeFolder) {
		return "", false
	}
	return r.path, p.points.access(r.path).read || p.exists(r.path, private|folder)
}

// exists reports whether the root will have an entry of its own at path, of one of some kinds: something made for the
// server, or a folder on the way to something that is there.
func (p *planner) exists(path string, kinds flag) bool {
	if path == "/" {
		return true
	}
	if p.points.access(path).read {
		return false
	}
	if pt := p.points[path]; pt != nil && pt.flags&kinds != 0 {
		return true
	}
	for q, pt := range p.points {
		if below(q, path) && (pt.flags&(private|folder|link|file) != 0 || p.points.access(q).read) {
			return true
		}
	}
	return false
}

// ownHomes are the homes of the launcher's user, wherever the policy has HOME lead.
func (p *planner) ownHomes() []string {
	if p.own == nil {
		p.own = slices.Compact(append(make([]string, 0, len(p.homes)+len(p.r.Homes)), p.homes...)) // as written and as resolved
		for _, h := range p.r.Homes {
			if h == "" || h[0] != '/' || systemFolder(path.Clean(h)) {
				continue
			}
			if r, err := p.host.resolve(h); err == nil && !slices.Contains(p.own, r.path) {
				p.own = append(p.own, r.path)
			}
		}
	}
	return p.own
}
