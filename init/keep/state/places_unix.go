//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// Make makes the places of a launch's mounts, those above before those below. A place that is there must be as this
// package makes it: nothing of the server's is covered, and no link is followed.
func (f *Folder) Make(o Owner, places []Place) error {
	for i := range places {
		if err := f.make(&o, &places[i]); err != nil {
			at := f.Path + "/" + places[i].Name
			if errors.Is(err, errKept) {
				err = folder.Unfit(string(errKept) + " (move " + at + ", or take the grant of this path away)")
			}
			return &os.PathError{Op: "mount on", Path: at, Err: err}
		}
	}
	return nil
}

func (f *Folder) make(o *Owner, p *Place) error {
	at, name, err := f.above(o, p.Name)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	switch {
	case p.Target != "":
		return makeLink(at, name, p.Target)
	case p.Folder:
		fd, err := o.makeFolder(at, name)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if !p.Inner && !isEmpty(fd) {
			return folder.Unfit("the server keeps files of its own there, which a grant of this path would hide: " +
				"take the grant away, or move them")
		}
		return nil
	default:
		return o.makeFile(at, name)
	}
}

// above opens the folder in which a place lies. All folders on the way are places before.
func (f *Folder) above(o *Owner, place string) (at int, name string, err error) {
	at, err = unix.FcntlInt(uintptr(f.FD), unix.F_DUPFD_CLOEXEC, 3)
	for err == nil {
		next, rest, more := strings.Cut(place, "/")
		if !more {
			return at, place, nil
		}
		below, bad := o.makeFolder(at, next)
		unix.Close(at)
		at, place, err = below, rest, bad
	}
	return -1, "", err
}

// makeFolder makes a folder or opens one of the server's, on the same file system, that the server may enter.
func (o *Owner) makeFolder(at int, name string) (int, error) {
	if err := unix.Mkdirat(at, name, 0o700); err != nil && err != unix.EEXIST {
		return -1, err
	}
	fd, err := folder.OpenAny(at, name)
	if err != nil {
		return -1, err
	}
	var st, above unix.Stat_t
	if err = o.take(fd); err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err == nil {
		err = unix.Fstat(at, &above)
	}
	if err == nil && st.Dev != above.Dev {
		err = folder.Unfit("another file system is mounted there")
	}
	if err == nil && st.Mode&0o700 != 0o700 {
		err = unix.Fchmod(fd, 0o700)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// makeFile makes an empty file, or opens one without another name.
func (o *Owner) makeFile(at int, name string) error {
	const flags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := unix.Openat(at, name, flags|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err == unix.EEXIST {
		return checkFile(at, name)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return o.take(fd)
}

// errKept is the error of a mount that would hide a file of the server.
const errKept = folder.Unfit("the server keeps something else there than an empty file")

// checkFile looks at the file over which a file will be mounted.
func checkFile(at int, name string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size != 0 || st.Nlink != 1 {
		return errKept
	}
	return nil
}

// makeLink makes a link, or demands the same one. An empty file, on which an earlier launch mounted one, gives way.
func makeLink(at int, name, target string) error {
	if checkFile(at, name) == nil {
		unix.Unlinkat(at, name, 0)
	}
	err := unix.Symlinkat(target, at, name)
	if err != unix.EEXIST {
		return err
	}
	b := make([]byte, len(target)+1)
	if n, err := unix.Readlinkat(at, name, b); err != nil || string(b[:n]) != target {
		return folder.Unfit("the server keeps something else there than the link to " + target + ": move it")
	}
	return nil
}

// isEmpty reports whether a folder has no name.
func isEmpty(fd int) bool {
	empty := true
	folder.Each(fd, func(string) bool { empty = false; return false })
	return empty
}
