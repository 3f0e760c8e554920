//go:build darwin || linux

package folder

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mostLinks are followed in a path; the kernel has the same bound.
const mostLinks = 40

// Resolve follows the symbolic links of what is there of a path, as long as no other user can change one.
func Resolve(base string) (string, error) {
	at, rest := "/", strings.Split(base, "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		next := path.Join(at, name) // at has no link, so ".." is the folder above
		var st unix.Stat_t
		err := unix.Lstat(next, &st)
		if err == nil && name == ".." { // from a folder in whose place others may put a link
			_, err = Trusted(at, false)
		}
		if err == unix.ENOENT {
			return strings.TrimRight(path.Join(next, path.Join(rest...)), "/"), nil
		}
		if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
			target := ""
			if target, err = readLink(at, next, &st); err == nil {
				if links++; links > mostLinks {
					err = unix.ELOOP
				}
				rest = append(strings.Split(target, "/"), rest...)
				if next = at; path.IsAbs(target) {
					next = "/"
				}
			}
		}
		if err != nil {
			return "", &os.PathError{Op: "open", Path: next, Err: err}
		}
		at = next
	}
	return strings.TrimRight(at, "/"), nil
}

// readLink reads a symbolic link in a folder without one in its path, if no other user can put another there.
func readLink(folder, at string, st *unix.Stat_t) (string, error) {
	if owner, foreign, _ := others(st); foreign {
		return "", Unfit("user " + strconv.Itoa(owner) + " owns this link and could have it lead elsewhere")
	}
	fd, err := Walk(strings.TrimRight(folder, "/"), false)
	if err != nil {
		return "", err
	}
	unix.Close(fd)
	return os.Readlink(at)
}

// Walk opens a folder, and demands of each on the way that no other user can rename what lies in it. The path has no
// link.
func Walk(at string, create bool) (int, error) {
	fd, err := unix.Open("/", OpenPath|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	done := ""
	for name := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		if err == nil {
			err = checkAbove(fd)
		}
		if err != nil || name == "" {
			break
		}
		above := fd
		done += "/" + name
		var made error
		if create {
			made = makeOwn(above, name)
		}
		fd, err = unix.Openat(above, name, OpenPath|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		err = notMade(err, made)
		unix.Close(above)
	}
	if err == nil {
		if err = checkAbove(fd); err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: done + "/", Err: err}
	}
	return fd, nil
}

// checkAbove is an error if another user could rename what lies in a folder.
func checkAbove(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch owner, foreign, write := others(&st); {
	case foreign:
		return &Foreign{Unfit("user " + strconv.Itoa(owner) +
			" owns this folder and could put another in place of what lies in it")}
	case write && uint32(st.Mode)&unix.S_ISVTX == 0:
		return Unfit("others may write to this folder and put another in place of what lies in it: " +
			"chmod go-w it")
	}
	return nil
}

// Trusted follows the symbolic links of a path to a folder, and demands that no other user, but root, can put another
// in its place or write into it.
func Trusted(at string, create bool) (real string, err error) {
	if real, err = Resolve(at); err != nil {
		return "", err
	}
	fd, err := Walk(real, create)
	if err == nil {
		unix.Close(fd)
	}
	return real, err
}

// TrustedFile demands of a file, and of the links to it, that no other user, but root, can change it or put another in
// its place.
func TrustedFile(at string) error {
	real, err := Resolve(at)
	if err != nil {
		return err
	}
	fd, err := Walk(strings.TrimRight(path.Dir(real), "/"), false)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err = unix.Fstatat(fd, path.Base(real), &st, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		switch owner, foreign, write := others(&st); {
		case foreign:
			err = Unfit("user " + strconv.Itoa(owner) + " owns this file and could change it")
		case write:
			err = Unfit("others may write to this file: chmod go-w it")
		}
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: real, Err: err}
	}
	return nil
}

// others are those who could change what has this owner and this mode: another owner than root, and whether a group or
// all may write. A group that has the number of this user is the user's own, as Debian, Fedora and others make one for
// each, with a umask that lets it write.
func others(st *unix.Stat_t) (owner int, foreign, write bool) {
	mode := uint32(st.Mode) & 0o022
	if int(st.Gid) == unix.Geteuid() {
		mode &^= 0o020
	}
	return int(st.Uid), IsForeign(int(st.Uid)), mode != 0
}

// IsForeign reports whether an owner is neither this user nor root.
func IsForeign(owner int) bool { return owner != 0 && owner != unix.Geteuid() && !isUnmapped(owner) }
