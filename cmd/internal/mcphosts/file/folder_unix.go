//go:build darwin || linux

package file

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	own "github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A folder is open, and what lies in it is named below its descriptor.
type folder struct {
	fd   int
	path string
}

// An object is a file of a folder, open for reading.
type object struct {
	*os.File
	stat unix.Stat_t
}

func openFolder(path string) (*folder, error) {
	fd, err := openPlain(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &folder{fd, path}, nil
}

func (f *folder) close() { unix.Close(f.fd) }

// open opens a regular file. A pipe without a writer is not waited for.
func (f *folder) open(name string) (*object, error) {
	o := &object{}
	fd, err := own.OpenFile(f.fd, name, &o.stat)
	if err == unix.EINVAL {
		return nil, errKind
	} else if err != nil {
		return nil, err
	}
	o.File = os.NewFile(uintptr(fd), name)
	return o, nil
}

// fixed is why the file cannot be replaced, or nil.
func (o *object) fixed() error {
	switch {
	case o.foreign():
		return errNotOurs
	case o.stat.Nlink > 1:
		return errLinks
	}
	return nil
}

// shut does nothing: an open file can be replaced.
func (o *object) shut() {}

func (o *object) foreign() bool { return int(o.stat.Uid) != os.Geteuid() }

// text is the whole of the file.
func (o *object) text() ([]byte, error) {
	var b bytes.Buffer
	if _, err := o.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := b.ReadFrom(io.LimitReader(o, MaxSize+1)); err != nil {
		return nil, err
	}
	if b.Len() > MaxSize {
		return nil, errSize
	}
	return b.Bytes(), nil
}

// same reports whether the name is still that of the file that was read, and the file as it was then.
func (f *folder) same(name string, o *object) bool {
	var now unix.Stat_t
	if unix.Fstatat(f.fd, name, &now, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	was := &o.stat
	return now.Dev == was.Dev && now.Ino == was.Ino && now.Size == was.Size && now.Mode == was.Mode &&
		mtime(&now) == mtime(was)
}

// create makes a file that no other user can read.
func (f *folder) create(name string) (*os.File, error) {
	fd, err := own.Create(f.fd, name)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (f *folder) rename(from, to string) error { return unix.Renameat(f.fd, from, f.fd, to) }
func (f *folder) remove(name string) error     { return unix.Unlinkat(f.fd, name, 0) }

// sync makes the exchange last. A file system that cannot says EINVAL.
func (f *folder) sync() error {
	if err := unix.Fsync(f.fd); err != unix.EINVAL {
		return err
	}
	return nil
}

func (f *folder) names() ([]string, error) {
	fd, err := unix.Openat(f.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), f.path)
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// isElsewhere is the error of an exchange with a folder on another disk.
func isElsewhere(err error) bool { return errors.Is(err, unix.EXDEV) }

// dress gives a new file the owner, the attributes and the mode of the old one, in the order in which none undoes
// another: chown(2) takes bits from the mode, and an access control list is a part of the mode.
func dress(f *os.File, like *object) error {
	fd, was := int(f.Fd()), &like.stat
	if err := unix.Fchown(fd, -1, int(was.Gid)); err == unix.EPERM {
		return errGroup
	} else if err != nil {
		return err
	}
	if err := copyAttributes(fd, int(like.Fd())); err != nil {
		return err
	}
	return unix.Fchmod(fd, uint32(was.Mode)&0o7777)
}
