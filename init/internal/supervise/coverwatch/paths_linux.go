package coverwatch

import (
	"errors"
	"os"
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A file is the result of statx(2) for a file or folder.
type file struct{ unix.Statx_t }

func (f *file) id() platform.FileID { return platform.StatxID(&f.Statx_t) }

// is reports whether the file has one of the types S_IFREG, S_IFDIR and so on.
func (f *file) is(kind uint16) bool { return f.Mode&unix.S_IFMT == kind }

// linked reports whether a file has another name, under which it is not covered. A folder has none.
func (f *file) linked() bool { return f.Nlink > 1 && !f.is(unix.S_IFDIR) }

func statx(fd int, name string, flags int) (f file, err error) {
	err = unix.Statx(fd, name, flags, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID, &f.Statx_t)
	return f, err
}

// lookAt looks at a path of the host as the sandbox does: through no symbolic link.
func lookAt(path string) (f file, err error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOTDIR {
		err = unix.ENOENT
	}
	if err != nil {
		return f, err
	}
	defer unix.Close(fd)
	return statx(fd, "", unix.AT_EMPTY_PATH)
}

// lookAtCovered looks at the path of a cover, where nothing may lie, or something that can be covered.
func lookAtCovered(path string) (f file, missing bool, err error) {
	switch f, err = lookAt(path); {
	case err == unix.ENOENT:
		return f, true, nil
	case err != nil:
		return f, false, &os.PathError{Op: "open", Path: path, Err: err}
	case f.is(unix.S_IFLNK):
		return f, false, errors.New(path + " is a symbolic link now, which cannot be covered")
	}
	return f, false, nil
}

// paths are the paths of covers with their watched folders.
type paths struct {
	covers    []cover
	mountinfo int // init's, or -1
	folders   folders
}

// A cover has the file below the mount.
type cover struct {
	fsview.Cover
	missing bool            // the host has nothing there
	file    platform.FileID // the covered file
	seen    platform.FileID // the host's file before the table of mounts was read
}

// watchFirst begins to watch the folders of all covers.
func (p *paths) watchFirst(uid int) error {
	return p.watchEach(func(k *cover) error { return p.folders.watchFirst(path.Dir(k.Source), uid) })
}

// watch watches the folders of all covers as they are now.
func (p *paths) watch() error {
	return p.watchEach(func(k *cover) error {
		f, missing, err := lookAtCovered(k.Source)
		if err != nil {
			return err
		}
		k.seen, k.missing = f.id(), missing
		return p.folders.watchAbove(k.Source, missing)
	})
}

// watchEach calls watch for each cover but those of folders of the sandbox's own, which are out of the host's reach.
func (p *paths) watchEach(watch func(*cover) error) error {
	for i := range p.covers {
		if k := &p.covers[i]; k.Source != "" {
			if err := watch(k); err != nil {
				return err
			}
		}
	}
	p.folders.prune()
	return nil
}

// changed reports whether something else lies below a cover than the cover was laid over.
func (p *paths) changed() bool {
	return slices.ContainsFunc(p.covers, func(k cover) bool {
		if k.Source == "" {
			return false
		}
		f, err := lookAt(k.Source)
		return k.missing != (err == unix.ENOENT) || !k.missing && (err != nil || f.id() != k.file)
	})
}

// mounts reads init's table of mounts. The poll takes the event of an earlier change away: the next poll of the loop
// reports only a change that the table does not show yet.
func (p *paths) mounts() ([]platform.Mount, error) {
	poll(p.mountinfo, unix.POLLPRI)
	if _, err := unix.Seek(p.mountinfo, 0, unix.SEEK_SET); err != nil {
		return nil, os.NewSyscallError("lseek mountinfo", err)
	}
	b, err := platform.ReadFD(p.mountinfo, 8<<20)
	if err != nil {
		return nil, os.NewSyscallError("read mountinfo", err)
	}
	return platform.ParseMountinfo(b)
}

// updateLost notes the file below each cover now, and returns the covers that the table of mounts does not have, where
// the host has something to cover. retry is set if a path changed during the check.
func (p *paths) updateLost(mounts []platform.Mount) (lost []layers.Lost, retry bool, err error) {
	for i := range p.covers {
		k := &p.covers[i]
		if layers.Covered(mounts, &k.Cover) {
			k.missing, k.file = false, k.seen
			continue
		}
		f, missing, err := lookAtCovered(k.Path)
		if err != nil {
			return nil, false, err
		}
		if missing {
			retry = retry || !k.missing
			continue
		}
		k.missing, k.file = false, f.id()
		l := layers.Lost{Cover: k.Cover, Folder: f.is(unix.S_IFDIR), FileID: f.id()}
		if k.Kind == fsview.ReadOnly && (f.is(unix.S_IFIFO) || f.is(unix.S_IFSOCK)) {
			l.Kind = fsview.Deny // a read-only mount does not prevent writes to these
		}
		lost = append(lost, l)
	}
	return lost, retry, nil
}

func (p *paths) close() {
	if r := p.folders.renames; r != nil {
		r.Close() // and the table, which is theirs
	} else {
		unix.Close(p.mountinfo)
	}
	for _, w := range p.folders.watched {
		unix.Close(w.fd)
	}
}
