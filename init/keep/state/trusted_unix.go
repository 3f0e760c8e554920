//go:build darwin || linux

package state

import (
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"golang.org/x/sys/unix"
)

// Trusted follows the symbolic links of a path to a folder, and demands that no other user, but root, can put another
// in its place or write into it.
func Trusted(at string, create bool) (real string, err error) {
	if real, err = resolve(at); err != nil {
		return "", err
	}
	fd, err := walk(real, create)
	if err == nil {
		unix.Close(fd)
	}
	return real, err
}

// TrustedFile demands of a file, and of the links to it, that no other user, but root, can change it or put another in
// its place.
func TrustedFile(at string) error {
	real, err := resolve(at)
	if err != nil {
		return err
	}
	fd, err := walk(strings.TrimRight(path.Dir(real), "/"), false)
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

// owned is of the folder of another user.
const owned = " owns this folder and could put another in place of what lies in it"

// others are those who could change what has this owner and this mode: another owner than root, and whether a group or
// all may write. A group that has the number of this user is the user's own, as Debian, Fedora and others make one for
// each, with a umask that lets it write.
func others(st *unix.Stat_t) (owner int, foreign, write bool) {
	me, mode := unix.Geteuid(), uint32(st.Mode)&0o022
	if int(st.Gid) == me {
		mode &^= 0o020
	}
	owner = int(st.Uid)
	return owner, owner != 0 && owner != me && !privdir.IsUnmapped(owner), mode != 0
}
