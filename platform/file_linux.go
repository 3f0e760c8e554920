package platform

// This file: whole reads and writes of small files, entries of folders, detached trees, names of disks.

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ReadSmall reads a file of at most max bytes in few calls and without a stat, as suits /proc. A longer file is an
// error (EFBIG).
func ReadSmall(path string, max int) ([]byte, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	b, err := ReadFD(fd, max)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return b, nil
}

// firstReads has memory to read into: most files are much smaller.
var firstReads = sync.Pool{New: func() any { return new([8192]byte) }}

// ReadFD reads what is left behind a descriptor, at most max bytes.
func ReadFD(fd, max int) ([]byte, error) {
	first := firstReads.Get().(*[8192]byte)
	defer firstReads.Put(first)
	b := first[:0:min(max+1, len(first))]
	for len(b) <= max {
		b = slices.Grow(b, 1)
		n, err := retry(func() (int, error) { return unix.Read(fd, b[len(b):cap(b)]) })
		if err != nil {
			return nil, err
		}
		if n == 0 && cap(b) > len(first) {
			return b, nil
		} else if n == 0 {
			return append([]byte{}, b...), nil
		}
		b = b[:len(b)+n]
	}
	return nil, unix.EFBIG
}

// WriteAll writes all of b.
func WriteAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := retry(func() (int, error) { return unix.Write(fd, b) })
		if err != nil {
			return os.NewSyscallError("write", err)
		}
		b = b[n:]
	}
	return nil
}

// WriteFile writes b in one call to a file that exists, as the files of /proc want it.
func WriteFile(path, b string) error {
	fd, err := openRetry(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if _, err = unix.Write(fd, []byte(b)); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// EachEntry calls each with the name and the type, such as DT_DIR, of all that lies in a folder, but the two of dots,
// until each says that it is enough. Entries may be removed meanwhile. An error of open(2) is an errno.
func EachEntry(at int, path string, each func(name string, kind byte) (on bool)) error {
	fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = ListFD(fd, make([]byte, 32<<10), func(name []byte, kind byte) bool { return each(string(name), kind) })
	return os.NewSyscallError("getdents64", err)
}

// ListFD is EachEntry for an open folder from its offset on, with a buffer of the caller's. A name is valid until each
// returns. An error is an errno.
func ListFD(fd int, buf []byte, each func(name []byte, kind byte) (on bool)) error {
	for {
		n, err := unix.Getdents(fd, buf)
		if n <= 0 || err != nil {
			return err
		}
		on, whole := dirents(buf[:n], func(name []byte, kind byte) bool {
			return string(name) == "." || string(name) == ".." || each(name, kind)
		})
		if !on {
			return nil
		}
		if !whole {
			return unix.EIO
		}
	}
}

// OpenTree makes a detached copy of the mounts from path on, in which no component may be a symbolic link.
// open_tree(2).
func OpenTree(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path,
		&unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, os.NewSyscallError("openat2", err)
	}
	defer unix.Close(fd)
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, os.NewSyscallError("open_tree", err)
	}
	return tree, nil
}

// Disk is the whole block device, as "8:0", that a file system's device number stands for: a partition's disk. The
// result is false for file systems without a block device, such as tmpfs, overlayfs, btrfs and the network's.
func Disk(major, minor uint32) (string, bool) { return diskIn("/sys/dev/block/", major, minor) }

func diskIn(folder string, major, minor uint32) (string, bool) {
	name := strconv.FormatUint(uint64(major), 10) + ":" + strconv.FormatUint(uint64(minor), 10)
	dir := folder + name
	if major == 0 || unix.Access(dir, unix.F_OK) != nil {
		return "", false
	}
	if unix.Access(dir+"/partition", unix.F_OK) != nil {
		return name, true
	}
	b, err := ReadSmall(dir+"/../dev", 64)
	return strings.TrimSpace(string(b)), err == nil
}
