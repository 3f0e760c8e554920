package fsview

import (
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// lookups are the file system as it was when each path was first looked at: nothing is looked at twice.
type lookups struct {
	seen   map[string]*looked
	buf    []byte           // for names and targets
	mounts []platform.Mount // the table of mounts, once it is read
}

func newLookups() lookups { return lookups{seen: make(map[string]*looked, 128)} }

type looked struct {
	entry
	err error
}

// lstat looks at a path whose parents are known to be real folders.
func (h *lookups) lstat(path string) (entry, error) {
	if l := h.seen[path]; l != nil {
		return l.entry, l.err
	}
	l := new(looked)
	l.entry, l.err = statx(path)
	if l.err == nil && l.is(typeLink) {
		l.target, l.err = h.readlink(path)
	}
	h.seen[path] = l
	return l.entry, l.err
}

// stat is lstat for callers to whom every error means that nothing is there.
func (h *lookups) stat(path string) (entry, bool) {
	e, err := h.lstat(path)
	return e, err == nil
}

func statx(path string) (entry, error) { return statxAt(unix.AT_FDCWD, path) }

// statxAt looks at a name in an open folder, or with no name at the open file.
func statxAt(folder int, name string) (entry, error) {
	const want = unix.STATX_TYPE | unix.STATX_MODE | unix.STATX_UID | unix.STATX_GID | unix.STATX_INO | unix.STATX_NLINK
	var st unix.Statx_t
	// Without AT_NO_AUTOMOUNT: an automount is mounted, as by a later open(2).
	if err := unix.Statx(folder, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH, want, &st); err != nil {
		return entry{}, err
	}
	id := platform.StatxID(&st)
	return entry{FileID: id, mode: uint32(st.Mode), uid: st.Uid, gid: st.Gid, links: st.Nlink,
		mount: st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0}, nil
}

// buffer is one for all calls: new memory costs a launch more than the calls themselves.
func (h *lookups) buffer() []byte {
	if h.buf == nil {
		h.buf = make([]byte, 8<<10)
	}
	return h.buf
}

func (h *lookups) readlink(path string) (string, error) {
	b := h.buffer()
	n, err := unix.Readlink(path, b)
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", unix.ENOENT // readlink(2): an empty target resolves to nothing
	}
	return string(b[:n]), nil
}

// read reads at most max bytes from the start of a regular file, which path leads to without a link, and never
// blocks. Another server may replace the file, or a folder above by a link: only the file that lstat saw is read.
func (h *lookups) read(path string, max int) ([]byte, error) {
	e, err := h.lstat(path)
	if err != nil {
		return nil, &os.PathError{Op: "statx", Path: path, Err: err}
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if is, err := statxAt(fd, ""); err != nil || !e.is(typeFile) || !is.same(&e) {
		return nil, &os.PathError{Op: "open", Path: path, Err: unix.ESTALE}
	}
	b := make([]byte, 0, min(max, 64<<10))
	for len(b) < max {
		b = slices.Grow(b, 1)
		k, err := unix.Read(fd, b[len(b):min(cap(b), max)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		case k == 0:
			return b, nil
		}
		b = b[:len(b)+k]
	}
	return b, nil
}

// list calls f with the name and the type (of st_mode, or 0 where the file system does not say) of all that lies
// in a folder, until f returns false. The name is good until f returns, and f may look at nothing but by statx.
func (h *lookups) list(path string, f func(name []byte, kind uint32) bool) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	return entries(fd, path, h.buffer(), f, time.Time{})
}

// entries is list for an open folder. After until, unless zero, entries stops with an error.
func entries(fd int, path string, buf []byte, f func(name []byte, kind uint32) bool, until time.Time) error {
	inTime := true
	err := platform.ListFD(fd, buf, func(name []byte, kind byte) bool {
		inTime = !late(until)
		return inTime && f(name, uint32(kind)<<12) // DT_DIR and so on are the types of st_mode
	})
	if !inTime {
		err = errLate
	}
	if err != nil {
		return &os.PathError{Op: "getdents", Path: path, Err: err}
	}
	return nil
}

func openFolder(at int, name string) (int, error) {
	return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
}

func late(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }

// changedSince reports whether anything was put into a folder or taken away since then. The ctime of a folder tells,
// and the kernel's clock for it is some milliseconds late.
func changedSince(folder string, since time.Time) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, folder, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_CTIME, &st)
	return err != nil || time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec)).After(since.Add(-50*time.Millisecond))
}
