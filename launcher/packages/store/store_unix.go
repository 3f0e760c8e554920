//go:build darwin || linux

package store

import (
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A Store is the folder of all packages of one user.
type Store struct {
	Path string // of the folder, absolute

	disk    disk
	stages  stages
	records records
}

// A disk is the folder of all packages.
type disk struct {
	at string
	fd int
}

// stages is the folder of the installs under way, and of folders to remove.
type stages struct {
	at string
	fd int
}

// records are the folders of the resolutions and of the indexes.
type records struct{ specs, index int }

// Open opens the store, and makes one where there is none. Only this user may enter the folder, and no other user, but
// root, can put another in its place.
func Open(getenv func(string) string) (*Store, error) {
	p, err := places.Of(getenv)
	if err != nil {
		return nil, err
	}
	s := &Store{disk: disk{fd: -1}, stages: stages{fd: -1}, records: records{-1, -1}}
	if s.disk.fd, s.Path, err = state.OpenBelow(p.Data, "store", true); err != nil {
		return nil, err
	}
	s.disk.at, s.stages.at = s.Path, s.Path+"/.stages"
	for _, f := range []struct {
		fd   *int
		name string
	}{{&s.records.specs, ".specs"}, {&s.records.index, ".index"}, {&s.stages.fd, ".stages"}} {
		if *f.fd, err = folder.Own(s.disk.fd, f.name, true); err != nil {
			s.Close()
			return nil, &os.PathError{Op: "open", Path: s.Path + "/" + f.name, Err: err}
		}
	}
	return s, nil
}

// Close closes the store. Packages and stages of the store serve no longer.
func (s *Store) Close() {
	for _, fd := range [...]*int{&s.disk.fd, &s.records.specs, &s.records.index, &s.stages.fd} {
		closeAt(fd)
	}
}

// closeAt closes a descriptor once.
func closeAt(fd *int) {
	if *fd >= 0 {
		unix.Close(*fd)
		*fd = -1
	}
}

// folder opens the folder of a name below the store, as npm/@scope/name.
func (d *disk) folder(path string, create bool) (int, error) {
	at := d.fd
	for name := range strings.SplitSeq(path, "/") {
		fd, err := folder.Own(at, name, create)
		if at != d.fd {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = fd
	}
	return at, nil
}

// open opens the folder of a package.
func (d *disk) open(rel string) (int, error) {
	i := strings.LastIndexByte(rel, '/')
	at, err := d.folder(rel[:i], false)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	fd, err := folder.Open(at, rel[i+1:])
	if err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && int(st.Uid) != unix.Geteuid() {
		err = errors.New("another user owns it")
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// isGone is true for the error of a missing file.
func isGone(err error) bool { return errors.Is(err, unix.ENOENT) }
