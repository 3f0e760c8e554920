//go:build darwin || linux

package privdir

import (
	"os"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A Dir is a private folder.
type Dir struct {
	fd   int // locked; 0 if there is no folder
	Path string
}

// FD is a descriptor of the folder, or -1 if there is none.
func (d *Dir) FD() int {
	if d.fd == 0 {
		return -1
	}
	return d.fd
}

// Opened is the folder that a descriptor is open on, which another process made and locked.
func Opened(fd int, path string) Dir { return Dir{fd: fd, Path: path} }

// Make makes the folder in the first of [Bases] that serves, and removes the folders that killed launchers left there.
// The error is a *[NoBase].
func Make(r Request) (Dir, error) {
	none := NoBase{UID: r.UID}
	for _, base := range Bases() {
		d, err := r.makeIn(base)
		if err != nil {
			none.add(base, err)
			continue
		}
		removeUnlocked(base)
		return d, nil
	}
	return Dir{}, &none
}

// makeIn makes the folder in a base. Another launcher's removeUnlocked may remove the folder before it is locked.
func (r *Request) makeIn(base string) (d Dir, err error) {
	if !filepath.IsAbs(base) {
		return d, folder.Unfit("it is not absolute")
	}
	if r.Chown {
		if err = checkSearchable(base); err != nil {
			return d, err
		}
	}
	d, err = r.tryIn(base)
	for tries := 0; tries < 10 && (err == unix.EWOULDBLOCK || err == unix.ENOENT); tries++ {
		d, err = r.tryIn(base)
	}
	return d, err
}

// tryIn makes the folder. Others may write to the base too: the folder's name is random, and nothing in the
// folder is made by path. Modes are set anew, for the process's umask may take its maker's rights away.
func (r *Request) tryIn(base string) (d Dir, err error) {
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return d, err
	}
	parent, err := unix.Open(base, folder.OpenPath|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return d, &os.PathError{Op: "open", Path: base, Err: err}
	}
	defer unix.Close(parent)
	if err = checkBase(parent, r.Swappable); err != nil {
		return d, err
	}
	name, err := newName()
	if err != nil {
		return d, err
	}
	if err = unix.Mkdirat(parent, name, 0o700); err != nil {
		return d, err
	}
	folder.MakeSearchable(parent, name)
	fd, err := folder.Open(parent, name)
	if err != nil {
		unix.Unlinkat(parent, name, unix.AT_REMOVEDIR)
		return d, err
	}
	d = Dir{fd: fd, Path: base + "/" + name}
	if err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = r.fill(fd)
	}
	if err != nil {
		d.Remove(budget(atEnd, nil))
	}
	return d, err
}

// fill makes the folder's content, and gives the server's folders to the server.
func (r *Request) fill(fd int) error {
	for _, sub := range r.Folders {
		if err := unix.Mkdirat(fd, sub, 0o700); err != nil {
			return err
		}
		folder.MakeSearchable(fd, sub)
	}
	if r.File != "" {
		if err := folder.Make(fd, r.File, 0o644, nil); err != nil {
			return err
		}
	}
	if !r.Chown {
		return nil
	}
	if err := unix.Fchmod(fd, 0o711); err != nil {
		return err
	}
	for _, sub := range r.Folders {
		if err := unix.Fchownat(fd, sub, r.UID, r.GID, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the folder with all that is in it. The rest when over returns true the next launch
// removes. All processes that could write to the folder must have exited. The init of a root launcher is
// another user and can only empty the server's folders.
func (d *Dir) Remove(over func() bool) {
	if d.fd == 0 {
		return
	}
	folder.Each(d.fd, func(sub string) (on bool) {
		folder.MakeSearchable(d.fd, sub)
		if fd, err := folder.Open(d.fd, sub); err == nil {
			folder.Empty(fd, over)
			unix.Close(fd)
		}
		return true
	})
	folder.Empty(d.fd, over)
	unix.Close(d.fd)
	d.fd = 0
	unix.Rmdir(d.Path) // fails if it is not empty, and so if another folder was put in its place
}

// removeUnlocked removes the folders of launchers that were killed together with their init.
func removeUnlocked(base string) {
	parent, err := unix.Open(base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(parent)
	var left []string
	folder.Each(parent, func(name string) bool {
		if isName(name) {
			left = append(left, name)
		}
		return true
	})
	over := budget(others, nil)
	for _, name := range left {
		fd, err := folder.Open(parent, name)
		if err != nil {
			continue
		}
		var st unix.Stat_t
		own := unix.Fstat(fd, &st) == nil && int(st.Uid) == unix.Geteuid()
		if own && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			d := Dir{fd: fd, Path: base + "/" + name}
			d.Remove(over)
		} else {
			unix.Close(fd)
		}
	}
}
