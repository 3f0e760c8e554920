package fsview

import "path"

// imply grants what nobody wrote down, for reading.
func (p *planner) imply(r *resolved) {
	p.show(r)
	if p.points.access(r.path).read {
		return
	}
	p.points.allow(r.path, r.entry, mayRead)
	p.implied = append(p.implied, r.path)
}

// prefixes shows the installations that a program belongs to: by the path it is named with, and by its own.
func (p *planner) prefixes(at string, r *resolved) {
	p.prefix(at)
	if r.path == at {
		return
	}
	if p.suspect(r) == nil {
		p.prefix(r.path)
	} else {
		p.item(r.path) // the server's link may lead anywhere: only to what is certainly a tool
	}
}

// prefix shows P for a program P/bin/NAME, if P looks like an installation of Node or Python, and whatever it is part
// of in a version store.
func (p *planner) prefix(program string) {
	p.item(program)
	bin := dirOf(program)
	if baseOf(bin) != "bin" {
		return
	}
	r, ok := p.implicable(dirOf(bin))
	if !ok {
		return
	}
	venv, isVenv := p.believed(join(r.path, "pyvenv.cfg"), r.path)
	if isVenv || p.installation(r.path) {
		p.imply(&r)
	}
	if isVenv {
		p.venv(r.path, venv)
	}
}

// believed resolves what speaks for an installation at prefix. The server may have made what lies in a write grant, or is
// led to from there: that speaks for nothing, unless all of the installation is the server's own.
func (p *planner) believed(evidence, prefix string) (path string, ok bool) {
	r, err := p.host.resolve(evidence)
	if err != nil {
		return "", false
	}
	if p.suspect(&r) != nil || p.written(r.path) {
		return r.path, p.written(prefix)
	}
	return r.path, true
}

// implicable resolves a folder, and tells whether it may be shown without being granted.
func (p *planner) implicable(folder string) (r resolved, ok bool) {
	r, err := p.host.resolve(folder)
	return r, err == nil && r.entry.is(typeFolder) && !p.never(r.path) && p.trust(&r, false) == nil
}

// installation looks for lib/node_modules and lib/pythonX.Y.
func (p *planner) installation(prefix string) bool {
	if p.points.access(prefix).read {
		return false // visible, as /usr is: nothing to look for
	}
	lib := join(prefix, "lib")
	if at, ok := p.believed(lib, prefix); !ok || at != lib { // a link to /usr/lib is no library of this one
		return false
	}
	if _, ok := p.believed(join(lib, "node_modules"), prefix); ok {
		return true
	}
	var names []string
	_ = p.host.list(lib, func(name []byte, _ byte) bool {
		if pythonLib(string(name)) {
			names = append(names, string(name))
		}
		return true
	})
	for _, name := range names {
		if _, ok := p.believed(join(lib, name), prefix); ok {
			return true
		}
	}
	return false
}

// item shows what a version manager installed, or all that belongs to it where the program is one of its shims.
func (p *planner) item(program string) {
	item, ok := storeItem(program)
	if !ok {
		item, ok = shimStore(program)
	}
	if ok {
		if r, ok := p.implicable(item); ok {
			p.imply(&r)
		}
	}
}

// venv shows the Python that a virtual environment was made from. What a server may write it is not believed about
// other places than version stores.
func (p *planner) venv(prefix, config string) {
	b, err := p.host.read(config, 8<<10)
	if err != nil {
		return
	}
	home := venvHome(string(b))
	if home == "" || home[0] != '/' {
		return
	}
	python := join(path.Clean(home), "python")
	if p.written(prefix) {
		p.item(python)
	} else if r, err := p.host.resolve(dirOf(python)); err == nil {
		r.path = join(r.path, "python")
		p.prefixes(python, &r)
	}
}

// never reports whether a folder may not be shown by implication: it holds more than one program.
func (p *planner) never(folder string) bool {
	if systemFolder(folder) && !p.points.access(folder).read || baseOf(folder) == ".local" || folder == "/root" || dirOf(folder) == "/home" {
		return true
	}
	for _, h := range p.ownHomes() {
		if within(join(h, ".local"), folder) {
			return true
		}
	}
	return false
}
