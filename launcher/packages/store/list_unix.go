//go:build darwin || linux

package store

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// namesIn are the names in a folder, sorted.
func namesIn(fd int) ([]string, error) { return tree.Names(fd) }

// List returns all packages, by manager, name and time of install. Broken has an error for each that cannot be read.
func (s *Store) List() (all []*Package, broken []error, err error) {
	specs, err := s.records.resolutions()
	if err != nil {
		return nil, nil, err
	}
	err = s.disk.eachPackage(func(rel string) {
		p, err := s.load(rel)
		if changed, ok := errors.AsType[*Changed](err); ok {
			p = changed.Package
		}
		if p != nil {
			p.Specs = specsFor(rel, specs)
		}
		if err != nil {
			broken = append(broken, err)
		} else {
			all = append(all, p)
		}
	})
	slices.SortFunc(all, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Name, b.Name), a.Installed.Compare(b.Installed),
			cmp.Compare(a.rel, b.rel))
	})
	return all, broken, err
}

// specsFor are the specs that are resolved to a package.
func specsFor(rel string, all []*resolution) (words []string) {
	for _, r := range all {
		if r.path == rel {
			words = append(words, strings.Join(r.specs, " "))
		}
	}
	slices.Sort(words)
	return words
}

// Names are the names of all packages, sorted, by the names of the folders alone. No store is made where there is none.
func Names() (all []string, err error) {
	d := disk{}
	if d.fd, d.at, err = state.OpenStore(false); err != nil {
		if errors.Is(err, unix.ENOENT) {
			err = nil
		}
		return nil, err
	}
	defer unix.Close(d.fd)
	err = d.eachPackage(func(rel string) {
		_, name, _ := strings.Cut(path.Dir(rel), "/")
		all = append(all, strings.ReplaceAll(name, ",", "/"))
	})
	slices.Sort(all)
	return slices.Compact(all), err
}

// Show is all packages of one name, or the one of a name with a version.
func (s *Store) Show(name string) ([]*Package, error) {
	all, broken, err := s.List()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p *Package) bool { return !p.isNamed(name) })
	for _, bad := range broken {
		if c, ok := errors.AsType[*Changed](bad); ok && c.Package.isNamed(name) {
			return all, bad
		}
	}
	if len(all) == 0 {
		return nil, ErrNone
	}
	return all, nil
}

// eachPackage calls do for the folder of each package.
func (d *disk) eachPackage(do func(rel string)) error {
	managers, err := namesIn(d.fd)
	for _, manager := range managers {
		if isWord(manager) {
			d.below(manager, do)
		}
	}
	return err
}

// below looks for packages in a manager's folder, and in the folders of scopes there.
func (d *disk) below(folder string, do func(rel string)) {
	at, err := d.folder(folder, false)
	if err != nil {
		return
	}
	names, _ := namesIn(at)
	unix.Close(at)
	for _, name := range names {
		path := folder + "/" + name
		switch {
		case isPackagePath(path):
			do(path)
		case strings.Count(path, "/") < 3:
			d.below(path, do)
		}
	}
}

// resolutions are all records of specs.
func (r *records) resolutions() (all []*resolution, err error) {
	names, err := namesIn(r.specs)
	for _, name := range names {
		if b, err := folder.Read(r.specs, name, 1<<20); err == nil {
			if to, err := parseResolution(string(b)); err == nil && to.id() == name {
				all = append(all, to)
			}
		}
	}
	return all, err
}

// Resolutions are those of all specs, or of those that name one package or are resolved to it.
func (s *Store) Resolutions(name string) ([]Resolution, error) {
	records, err := s.records.resolutions()
	var all []Resolution
	for _, r := range records {
		if name == "" || packageAt(r.path).isNamed(name) ||
			slices.ContainsFunc(r.specs, func(spec string) bool { return isSpecOf(spec, name) }) {
			all = append(all, Resolution{r.manager, r.source, r.specs, s.Path + "/" + r.path})
		}
	}
	slices.SortFunc(all, func(a, b Resolution) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), slices.Compare(a.Specs, b.Specs))
	})
	return all, err
}

// isSpecOf reports whether a spec names a package, with or without the ecosystem.
func isSpecOf(spec, name string) bool {
	s, err := startline.ParseSpec(spec)
	return err == nil && (s.Name == name || s.Ecosystem+":"+s.Name == name)
}

// Remember resolves specs to a package that is in the store.
func (s *Store) Remember(r Resolution) error {
	rel, ok := strings.CutPrefix(r.Path, s.Path+"/")
	if !ok || !isPackagePath(rel) {
		return ErrNone
	}
	p, err := s.load(rel)
	if err != nil {
		return err
	}
	return s.records.remember(&asked{r.Manager, r.Source, r.Specs}, p)
}

// Forget removes the resolution of specs: the next start installs anew, or finds the version that was asked for.
func (s *Store) Forget(r Resolution) error {
	err := unix.Unlinkat(s.records.specs, (&asked{r.Manager, r.Source, r.Specs}).id(), 0)
	if isGone(err) {
		return ErrNone
	}
	return err
}
