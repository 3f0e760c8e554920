package fsview

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/toolchain"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
)

// toolchains show the installations that programs belong to.
type toolchains struct{ *tree }

// stored reports whether path is part of an installation of a version manager.
func stored(path string) bool {
	_, ok := runtimes.Stored(path)
	return ok
}

// prefixes shows the installations that a program belongs to: by the path it is named with, and by its own.
func (t *toolchains) prefixes(at string, r *resolved) {
	t.prefix(at)
	if r.path == at {
		return
	}
	if t.throughServerLink(r, ErrLink) == nil {
		t.prefix(r.path)
	} else {
		t.item(r.path) // the server's link may lead anywhere: only a version store counts
	}
}

// prefix shows P for a program P/bin/NAME, if P looks like an installation, and whatever the program is part of in a
// version store, or needs of an installation that it finds by its own path.
func (t *toolchains) prefix(program string) {
	t.item(program)
	t.home(program)
	bin := dirOf(program)
	if baseOf(bin) != "bin" {
		return
	}
	r, ok := t.implicable(dirOf(bin))
	if !ok {
		return
	}
	venv, isVenv := t.trusted(join(r.path, "pyvenv.cfg"), r.path)
	if isVenv || t.installation(r.path) {
		t.imply(&r)
	}
	if isVenv {
		t.venv(r.path, venv)
	}
}

// trusted resolves a path that makes prefix an installation. A path in a write grant, or through a link there, may be
// the server's work: such a path is not trusted, unless all of the installation lies in a write grant.
func (t *toolchains) trusted(at, prefix string) (path string, ok bool) {
	r, err := t.lookups.resolve(at)
	if err != nil {
		return "", false
	}
	if t.throughServerLink(&r, ErrLink) != nil || t.inWriteGrant(r.path) {
		return r.path, t.inWriteGrant(prefix)
	}
	return r.path, true
}

// implicable resolves a folder, and reports whether it may be shown without a grant.
func (t *toolchains) implicable(folder string) (r resolved, ok bool) {
	r, err := t.lookups.resolve(folder)
	return r, err == nil && r.entry.is(typeFolder) && !t.tooBroad(r.path) && t.allowLink(&r, false) == nil
}

// installation looks in lib for the names that runtimes have there.
func (t *toolchains) installation(prefix string) bool {
	if t.points.access(prefix).read {
		return false // visible, as /usr is: nothing to look for
	}
	lib := join(prefix, "lib")
	if at, ok := t.trusted(lib, prefix); !ok || at != lib { // a link to /usr/lib is no library of this one
		return false
	}
	var names []string
	_ = t.lookups.list(lib, func(name []byte, _ uint32) bool {
		if runtimes.IsLib(string(name)) {
			names = append(names, string(name))
		}
		return true
	})
	for _, name := range names {
		if _, ok := t.trusted(join(lib, name), prefix); ok {
			return true
		}
	}
	return false
}

// item shows the installation of a version manager that a program belongs to, and the manager's folders that it needs.
func (t *toolchains) item(program string) {
	if above, shows, ok := runtimes.Shim(program); ok {
		for folder := range strings.FieldsSeq(shows) {
			t.folder(above + folder)
		}
	}
	if item, ok := runtimes.Stored(program); ok {
		t.folder(item)
	}
}

// home shows the folders that a program needs of the installation that it finds by its own path.
func (t *toolchains) home(program string) {
	h, prefix, ok := runtimes.HomeOf(program)
	if !ok {
		return
	}
	r, ok := t.implicable(prefix)
	if !ok || t.points.access(r.path).read {
		return
	}
	if _, ok := t.trusted(join(r.path, h.Mark), r.path); !ok {
		return
	}
	for folder := range strings.FieldsSeq(h.Shows) {
		t.folder(path.Join(r.path, folder))
	}
}

func (t *toolchains) folder(at string) {
	if r, ok := t.implicable(at); ok {
		t.imply(&r)
	}
}

// venv shows the Python that a virtual environment was made from. A pyvenv.cfg that strangers wrote is trusted only if
// it points into a version store. That of a package's own folder was written by its install.
func (t *toolchains) venv(prefix, config string) {
	b, err := t.lookups.read(config, 8<<10)
	if err != nil {
		return
	}
	home := toolchain.VenvHome(string(b))
	if home == "" || home[0] != '/' {
		return
	}
	python := join(path.Clean(home), "python")
	if isForeign(t.tree, prefix) {
		t.item(python)
	} else if r, err := t.lookups.resolve(dirOf(python)); err == nil {
		r.path = join(r.path, "python")
		t.prefixes(python, &r)
	}
}
