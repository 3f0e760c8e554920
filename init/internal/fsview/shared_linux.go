package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// shared adds what every server sees that has no root of its own: the same, but that of /etc nothing can be left out, for
// what the generated files stand for would not be there, and that the host's /proc stays. A rule cannot be taken back
// below the place it is for, so of a visible host each folder is named but those that are made fresh in a root.
func (p *planner) shared() error {
	if p.r.Open {
		p.points.allow("/", entry{mode: typeFolder}, mayWrite)
		return nil
	}
	if err := p.devices(); err != nil {
		return err
	}
	delete(p.points, "/dev/shm")
	for _, step := range [...]func() error{p.system, p.wholeEtc, p.wholeHost} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) wholeEtc() error {
	if err := p.visible("/etc"); err != nil {
		return err
	}
	if p.r.HostNet {
		if err := p.visible("/etc/resolv.conf"); err != nil {
			return err
		}
	}
	return p.authorities()
}

func (p *planner) wholeHost() error {
	if p.r.Policy.Filesystem.Default != policy.Read {
		return nil
	}
	var names []string
	err := p.host.list("/", func(name []byte, _ byte) bool {
		switch string(name) {
		case "dev", "proc", "sys", "tmp", "run":
		default:
			names = append(names, string(name))
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if e, err := p.host.lstat("/" + name); err == nil && !p.enters(&e, "/"+name) {
			continue // nothing of it can be opened, rule or not
		}
		if err := p.visible("/" + name); err != nil {
			return err
		}
	}
	return nil
}

// enters reports whether the server's user may enter a folder, or read a file.
func (p *planner) enters(e *entry, path string) bool {
	mode := uint32(unix.R_OK)
	switch {
	case e.is(typeLink):
		return true
	case e.is(typeFolder):
		mode = unix.X_OK
	}
	if p.r.Root {
		return p.may(e, path, mode)
	}
	return unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS) == nil
}

// unheld finds the denials that lie inside what is visible: what the rest of the policy gives there stays given.
func (p *planner) unheld() {
	for i := range p.denials {
		d := &p.denials[i]
		at := p.points[d.path]
		was := at.flags
		at.flags &^= d.flag
		a := p.points.access(d.path)
		at.flags = was
		if a.read && d.flag == noRead || a.write {
			p.v.Unheld = append(p.v.Unheld, Unheld{Key: "filesystem." + d.key, Path: d.path})
		}
	}
}

// insideShared is inside for a server without a root of its own: what is private in a root lies elsewhere then.
func (p *planner) insideShared(name string) (string, bool) {
	switch r, err := p.host.resolve(name); {
	case err == nil && r.entry.is(typeFolder) && p.points.access(r.path).read:
		return r.path, true
	case len(p.homes) > 0 && name == p.homes[0], name == noHome:
		return p.v.Home, true
	case name == "/tmp":
		return join(p.r.Private, PrivateTmp), true
	}
	return "", false
}

// share leaves of a view what has a meaning without a root: the places of rules, and the private folder.
func (p *planner) share() {
	v := p.v
	v.Nodes = slices.DeleteFunc(v.Nodes, func(n Node) bool { return n.Kind != Bind })
	v.Covers = nil
	v.Unprotected = append(v.Unprotected, v.Protected...)
	v.Protected = nil
	if v.Private = nil; p.r.Private == "" {
		v.Unprotected = nil
		return
	}
	v.Private = []Node{{Path: join(p.r.Private, PrivateHome), Kind: Dir, Mode: 0o700}, {Path: join(p.r.Private, PrivateTmp), Kind: Dir, Mode: 0o700}}
}
