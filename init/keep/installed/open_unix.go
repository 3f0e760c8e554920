//go:build darwin || linux

package installed

import (
	"os"
	"path"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// How long a launch waits for the lock of a package, and how often it asks meanwhile.
const (
	patience = time.Second
	pause    = 10 * time.Millisecond
)

// leastDepth is how many folders lead from the store to a package at least, and to a stage: npm/NAME/VERSION and
// .stages/NAME/package. A higher folder holds several.
const leastDepth = 3

// A Folder of the store is open. It has no descriptor that a child process inherits.
type Folder struct {
	Path string // without a symbolic link in it
	FD   int
}

// Open opens the folder of a package and locks it, for as long as the folder is open. The folder must be the user's of
// this process, or the server's. While another process holds the lock alone Open waits, for a second at most, and asks
// held between two tries; an error of held is the result.
func Open(at string, server int, held func() error) (*Folder, error) {
	f, err := open(at, unix.Geteuid(), server)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: at, Err: err}
	}
	if err = f.lock(held); err == nil {
		err = f.check()
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: at, Err: err}
	}
	return f, nil
}

// OpenStage opens a folder for an installation. It must be the server's. Whoever made the folder has its lock.
func OpenStage(at string, server int) (*Folder, error) {
	f, err := open(at, server)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: at, Err: err}
	}
	return f, nil
}

// Close gives the lock back.
func (f *Folder) Close() {
	if f != nil && f.FD >= 0 {
		unix.Close(f.FD)
		f.FD = -1
	}
}

// open opens a folder below the store, of one of these owners.
func open(at string, owners ...int) (*Folder, error) {
	store, root, err := state.OpenStore(false)
	if err == unix.ENOENT || os.IsNotExist(err) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	below, err := belowStore(at, root)
	if err == nil && strings.Count(below, "/")+1 < leastDepth {
		err = folder.Unfit("it is the folder of no package, but one above")
	}
	fd := -1
	if err == nil {
		fd, err = walk(store, below)
	}
	unix.Close(store)
	if err == nil {
		if err = checkOwner(fd, owners); err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		return nil, err
	}
	return &Folder{Path: root + "/" + below, FD: fd}, nil
}

// belowStore is a path as seen from the store, which may be named through a symbolic link of the user's.
func belowStore(at, root string) (string, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return "", err
	}
	for _, store := range [...]string{root, p.Store()} {
		below, ok := strings.CutPrefix(at, store+"/")
		if ok && below != "" && path.Clean(at) == at {
			return below, nil
		}
	}
	return "", folder.Unfit("it does not lie below " + root + ", the store of this user")
}

// walk opens a folder below another through no symbolic link. The folders on the way are this user's alone.
func walk(from int, below string) (fd int, err error) {
	fd = from
	for name := range strings.SplitSeq(below, "/") {
		above := fd
		if above != from {
			err = checkAbove(above)
		}
		if err == nil {
			fd, err = folder.Open(above, name)
		}
		if above != from {
			unix.Close(above)
		}
		if err == unix.ENOENT {
			err = ErrNone
		}
		if err != nil {
			return -1, err
		}
	}
	return fd, nil
}

// checkAbove is an error if another user could rename the entries of a folder of the store.
func checkAbove(fd int) error {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	switch {
	case err != nil:
		return err
	case int(st.Uid) != unix.Geteuid():
		return foreign(int(st.Uid), unix.Geteuid())
	case st.Mode&0o022 != 0:
		return folder.Unfit("others may write to a folder above it: chmod go-w that folder")
	}
	return nil
}

func checkOwner(fd int, owners []int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	for _, owner := range owners {
		if int(st.Uid) == owner {
			return nil
		}
	}
	return foreign(int(st.Uid), owners[0])
}

// lock takes the lock that all launches of a package share.
func (f *Folder) lock(held func() error) error {
	for end := time.Now().Add(patience); ; {
		err := unix.Flock(f.FD, unix.LOCK_SH|unix.LOCK_NB)
		switch {
		case err == nil || err != unix.EWOULDBLOCK && err != unix.EINTR:
			return err
		case time.Now().After(end):
			return ErrRemoving
		}
		if err := held(); err != nil {
			return err
		}
		time.Sleep(pause)
	}
}

// check demands that the folder which is locked still lies at its path: whoever held the lock may have removed it.
func (f *Folder) check() error {
	var there unix.Stat_t
	err := unix.Lstat(f.Path, &there)
	if err == unix.ENOENT || err == nil && !folder.Same(f.FD, unix.AT_FDCWD, f.Path) {
		return ErrNone
	}
	return err
}
