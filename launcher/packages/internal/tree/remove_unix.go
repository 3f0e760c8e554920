//go:build darwin || linux

package tree

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A remover empties a folder in bounded memory and with a bounded number of descriptors: names are removed while the
// folder is read, and what lies too deep is moved up to top first.
type remover struct {
	top    int
	prefix string // of what was moved up: nobody can have guessed it
	moved  int
	err    error // why the first name stays
}

// Remove removes what is at a name in a folder, without following a link.
func Remove(at int, name string) error {
	err := unlink(at, name)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	fd, err := openAll(at, name)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return err
	}
	r := remover{top: fd, prefix: "." + hex.EncodeToString(random[:]) + "."}
	r.empty(fd, 0)
	if err = unlink(at, name); err == nil {
		return nil
	}
	if r.err != nil {
		return r.err
	}
	return &os.PathError{Op: "remove", Path: name, Err: err}
}

// empty removes all in a folder. A file system may skip names of a folder that changes while it is read, so it is read
// again as long as that removes something.
func (r *remover) empty(fd, depth int) {
	buf := make([]byte, 4<<10)
	for changed := true; changed; {
		changed = false
		if rewind(fd) != nil {
			return
		}
		for {
			n, err := unix.ReadDirent(fd, buf)
			if err == unix.EINTR {
				continue
			}
			if err != nil || n <= 0 {
				break
			}
			_, _, names := unix.ParseDirent(buf[:n], -1, nil)
			for _, name := range names {
				changed = r.remove(fd, name, depth) || changed
			}
		}
	}
}

// openAll opens a folder and gives its owner every right to it.
func openAll(at int, name string) (int, error) {
	fd, err := Open(at, name)
	if err == nil {
		unix.Fchmod(fd, 0o700) // where that fails the removal does
	}
	return fd, err
}

// deepest is how many folders are open at once.
const deepest = 64

func (r *remover) remove(at int, name string, depth int) (changed bool) {
	err := unlink(at, name)
	if err == nil {
		return true
	}
	if err != unix.ENOTEMPTY && err != unix.EACCES {
		r.note(name, err)
		return false
	}
	fd, err := openAll(at, name)
	if err != nil {
		r.note(name, err)
		return false
	}
	defer unix.Close(fd)
	if depth == deepest {
		err = unix.Renameat(at, name, r.top, r.prefix+strconv.Itoa(r.moved))
		r.moved++
		return err == nil
	}
	r.empty(fd, depth+1)
	if err = unlink(at, name); err != nil {
		r.note(name, err)
	}
	return err == nil
}

func (r *remover) note(name string, err error) {
	if r.err == nil {
		r.err = &os.PathError{Op: "remove", Path: name, Err: err}
	}
}

// unlink removes a name in a folder, also of an empty folder.
func unlink(at int, name string) error {
	err := unix.Unlinkat(at, name, 0)
	if err == unix.EISDIR || err == unix.EPERM { // Linux's error for the name of a folder, and POSIX's
		if as := unix.Unlinkat(at, name, unix.AT_REMOVEDIR); as != unix.ENOTDIR {
			return as
		}
	}
	return err
}
