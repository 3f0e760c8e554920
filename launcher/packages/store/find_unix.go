//go:build darwin || linux

package store

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// Find is the package to which specs were resolved, or one of exactly the version that they name. The error is
// [ErrNone] where there is none, and a *[TooYoung] where none is old enough.
func (s *Store) Find(w Wanted, minAge time.Duration) (*Package, error) {
	if _, err := w.names(); err != nil {
		return nil, err
	}
	words := w.asked()
	var young error
	fit := func(p *Package) bool {
		if p.asked = words; p.age() >= minAge {
			return true
		}
		young = &TooYoung{p, p.age(), minAge}
		return false
	}
	if r, err := s.records.resolved(words); err == nil {
		p, err := s.load(r.path)
		if err == nil && p.Manager == w.Manager && p.Source == w.Source && fit(p) {
			return p, nil
		}
		if err != nil && !isGone(err) {
			return nil, err
		}
	} else if !isGone(err) {
		return nil, err
	}
	if len(w.Specs) == 1 && w.Specs[0].Exact() {
		p, err := s.exact(&w, fit)
		if p != nil || err != nil {
			return p, err
		}
	}
	if young != nil {
		return nil, young
	}
	return nil, ErrNone
}

// resolved reads the record of some specs. One that is damaged counts as none.
func (r *records) resolved(a *asked) (*resolution, error) {
	b, err := folder.Read(r.specs, a.id(), 1<<20)
	if err != nil {
		return nil, err
	}
	to, err := parseResolution(string(b))
	if err != nil || !to.equals(a) {
		return nil, unix.ENOENT
	}
	return to, nil
}

// exact is the latest package of one version that was installed from the same source by a spec of that name alone.
func (s *Store) exact(w *Wanted, fit func(*Package) bool) (best *Package, err error) {
	spec := w.Specs[0]
	folder, err := folderOf(w.Manager, spec.Name)
	if err != nil {
		return nil, err
	}
	err = s.eachVersion(folder, func(p *Package) {
		if p.Source == w.Source && p.Ecosystem == spec.Ecosystem &&
			p.Name == spec.Name && isVersionOf(p.Version, spec) && p.isSingle() &&
			(best == nil || p.Installed.After(best.Installed)) && fit(p) {
			best = p
		}
	})
	if isGone(err) {
		err = nil
	}
	return best, err
}

// isVersionOf reports whether a spec names a version. npm ignores the part behind a +.
func isVersionOf(version string, spec startline.Spec) bool {
	asked := strings.TrimPrefix(spec.Range, "==")
	if spec.Ecosystem == "npm" {
		asked, _, _ = strings.Cut(asked, "+")
	}
	return version == asked
}

// isSingle reports whether one spec was installed, and not several into one folder.
func (p *Package) isSingle() bool { return len(p.Specs) == 1 }

// load reads the records of the package in a folder. Specs are those of the install.
func (s *Store) load(rel string) (*Package, error) {
	fd, err := s.disk.open(rel)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	p := packageAt(rel)
	p.in, p.Path = s, s.Path+"/"+rel
	b, err := folder.Read(fd, ManifestName, 16<<10)
	if err == nil && len(b) == 16<<10 && !strings.Contains(string(b), "\n\n") {
		b, err = folder.Read(fd, ManifestName, mostHeader)
	}
	if err != nil {
		return nil, &Changed{p, Difference{Path: ManifestName, What: "cannot be read (" + err.Error() + ")"}}
	}
	h, _, err := parseHeader(string(b))
	if err == nil {
		err = h.fits(rel)
	}
	if err != nil {
		return nil, &Changed{p, Difference{Path: ManifestName, What: err.Error()}}
	}
	p.Identity, p.Contents, p.Specs = h.Identity, h.Contents, h.specs
	var st unix.Stat_t
	if p.Used = h.Installed; unix.Fstatat(s.records.index, idOf(rel), &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		p.Used = time.Unix(st.Mtim.Unix()).UTC()
	}
	return p, nil
}

// fits demands that a manifest is that of the folder in which it lies.
func (h *header) fits(rel string) error {
	folder, err := folderOf(h.Manager, h.Name)
	if err != nil || len(rel) < hashDigits || rel[:len(rel)-hashDigits] != folder+"/"+h.Version+"-" {
		return errManifest
	}
	return nil
}

// eachVersion calls do for each package of a name's folder.
func (s *Store) eachVersion(folder string, do func(*Package)) error {
	at, err := s.disk.folder(folder, false)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	names, err := namesIn(at)
	for _, name := range names {
		if !isVersionFolder(name) {
			continue
		}
		if p, bad := s.load(folder + "/" + name); bad == nil {
			do(p)
		}
	}
	return err
}
