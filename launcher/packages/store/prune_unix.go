//go:build darwin || linux

package store

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// Remove removes a package from which no server runs, and the resolutions to it.
func (p *Package) Remove() error { return p.remove(false) }

// remove is Remove. A package that was unasked when a prune looked stays if specs are resolved to it by now: an install
// does that behind the same lock.
func (p *Package) remove(unasked bool) error {
	i := strings.LastIndexByte(p.rel, '/')
	folder, name := p.rel[:i], p.rel[i+1:]
	at, err := p.in.disk.tryLock(folder)
	if err == unix.EWOULDBLOCK {
		return ErrInUse // an install of that name is under way
	}
	if err == nil {
		defer unix.Close(at)
		if unasked {
			err = p.in.records.unasked(p.rel)
		}
		if err == nil {
			err = p.in.remove(at, name)
		}
	}
	if isGone(err) {
		err = ErrNone
	}
	if errors.Is(err, ErrInUse) || errors.Is(err, ErrNone) {
		return err
	}
	if err != nil {
		return &os.PathError{Op: "remove", Path: p.Path, Err: err}
	}
	p.in.disk.removeEmpty(folder)
	return p.in.records.forget(p.rel)
}

// unasked is ErrNone if specs are resolved to a package.
func (r *records) unasked(rel string) error {
	all, _ := r.resolutions() // forget tells the error
	if len(specsFor(rel, all)) > 0 {
		return ErrNone
	}
	return nil
}

// forget removes all records of a package.
func (r *records) forget(rel string) error {
	all, err := r.resolutions()
	for _, to := range all {
		if to.path == rel {
			unix.Unlinkat(r.specs, to.id(), 0)
		}
	}
	if err == nil {
		err = r.dropIndex(rel)
	}
	return err
}

// remove takes the package's folder away, so no start finds half of it, and empties it then.
func (s *Store) remove(at int, name string) error {
	fd, err := folder.Open(at, name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err = folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB); err == unix.EWOULDBLOCK {
		return ErrInUse
	}
	if err != nil {
		return err
	}
	a, err := s.stages.setAside(at, name, true)
	if err != nil {
		return err
	}
	unix.Fsync(at)
	unix.Flock(fd, unix.LOCK_UN) // else the stage counts as held
	return a.end(true, at, name)
}

// Prune removes the packages to which no specs are resolved any more, and then others, those first that were not used
// for the longest time, until the packages that are left take at most keep bytes. A negative keep keeps the others. A
// package from which a server runs stays.
func (s *Store) Prune(keep int64) (*Pruned, error) {
	s.stages.sweep()
	all, broken, err := s.List()
	if err != nil {
		return nil, err
	}
	for _, bad := range broken {
		if c, ok := errors.AsType[*Changed](bad); ok && len(c.Package.Specs) == 0 {
			all = append(all, c.Package)
		}
	}
	done := &Pruned{}
	for _, p := range all {
		done.Bytes += p.Bytes
	}
	slices.SortStableFunc(all, func(a, b *Package) int {
		if old := len(a.Specs) == 0; old != (len(b.Specs) == 0) {
			if old {
				return -1
			}
			return 1
		}
		return a.Used.Compare(b.Used)
	})
	for _, p := range all {
		if len(p.Specs) > 0 && (keep < 0 || done.Bytes <= keep) {
			break
		}
		switch bad := p.remove(len(p.Specs) == 0); {
		case bad == nil:
			done.Removed = append(done.Removed, p)
			done.Bytes -= p.Bytes
		case errors.Is(bad, ErrInUse):
			done.InUse = append(done.InUse, p)
		case !errors.Is(bad, ErrNone) && err == nil:
			err = bad
		}
	}
	s.tidy()
	return done, err
}

// tidy removes the records of packages that are not there: of a removal that was killed, or of a folder that was
// removed by hand.
func (s *Store) tidy() {
	paths := map[string]bool{}
	all, _ := s.records.resolutions()
	for _, r := range all {
		paths[r.path] = true
	}
	names, _ := namesIn(s.records.index)
	for _, name := range names {
		b, err := folder.Read(s.records.index, name, 64<<10)
		if x, bad := parseIndex(string(b)); err == nil && bad == nil && isPackagePath(x.path) && idOf(x.path) == name {
			paths[x.path] = true
		}
	}
	for path := range paths {
		folder := path[:strings.LastIndexByte(path, '/')]
		at, err := s.disk.tryLock(folder)
		if err != nil {
			continue // an install of that name is under way
		}
		if fd, err := s.disk.open(path); isGone(err) {
			s.records.forget(path)
		} else if err == nil {
			unix.Close(fd)
		}
		s.disk.removeEmpty(folder)
		unix.Close(at)
	}
}
