//go:build darwin || linux

package store

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// An aside is a package's folder that was moved to a stage of its own, to be removed or put back. A zero one is none.
type aside struct {
	in   *stages
	name string // below .stages
	fd   int    // of that stage, locked
}

// newStage makes a folder below .stages and locks it. Another process may take it for left over before it is locked.
func (t *stages) newStage() (name string, fd int, err error) {
	for range 10 {
		var random [16]byte
		if _, err = rand.Read(random[:]); err != nil {
			return "", -1, err
		}
		name = hex.EncodeToString(random[:])
		fd, err = folder.Own(t.fd, name, true)
		if err == nil {
			if err = folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB); err == nil && folder.Same(fd, t.fd, name) {
				return name, fd, nil
			}
			unix.Close(fd)
		}
		if err != nil && err != unix.EWOULDBLOCK && !isGone(err) {
			return "", -1, err
		}
	}
	return "", -1, unix.EBUSY
}

// setAside moves the file or folder at a name to a stage. The caller may hold the lock of the folder.
func (t *stages) setAside(at int, name string, locked bool) (aside, error) {
	fd, err := folder.OpenAny(at, name)
	if isGone(err) {
		return aside{}, nil
	}
	if err != nil {
		return aside{}, err
	}
	defer unix.Close(fd)
	a := aside{in: t}
	if a.name, a.fd, err = t.newStage(); err != nil {
		return aside{}, err
	}
	if err = unix.Fchmod(fd, 0o755); err == nil { // rename(2) of a folder wants the right to write to it
		err = unix.Renameat(at, name, a.fd, inner)
	}
	if err != nil {
		unix.Fchmod(fd, 0o555)
		a.drop()
		a = aside{}
	}
	if err == unix.EXDEV {
		err = removeInPlace(at, name, fd, locked)
	}
	return a, err
}

// removeInPlace removes a package that overlayfs cannot rename, for it lies in an image. Without a manifest the rest of
// a killed removal is no package.
func removeInPlace(at int, name string, fd int, locked bool) error {
	if !locked && folder.Lock(fd, unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK {
		return ErrInUse
	}
	err := unix.Fchmod(fd, 0o700)
	if err == nil {
		err = unix.Unlinkat(fd, ManifestName, 0)
	}
	if err == nil || isGone(err) {
		err = folder.Remove(at, name)
	}
	return err
}

// end removes the folder, or puts it back. One from which a server runs is left to a later install.
func (a *aside) end(remove bool, at int, name string) error {
	if a.in == nil {
		return nil
	}
	if !remove {
		if fd, err := folder.Open(a.fd, inner); err == nil {
			if unix.Renameat(a.fd, inner, at, name) == nil {
				unix.Fchmod(fd, 0o555)
			}
			unix.Close(fd)
		}
	}
	return a.drop()
}

// drop removes the stage.
func (a *aside) drop() (err error) {
	if !isHeld(a.fd, inner) {
		err = folder.Remove(a.in.fd, a.name)
	}
	unix.Close(a.fd)
	*a = aside{}
	return err
}
