//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"golang.org/x/sys/unix"
)

// openRoot opens the folder of all states, and says where it is.
func openRoot(create bool) (root int, at string, err error) { return OpenOwn("state", create) }

// OpenOwn opens one of this product's folders of the user's state directory by its name, and says where it is. The
// folder is this user's alone, and no other user, but root, can put another in its place.
func OpenOwn(folder string, create bool) (fd int, at string, err error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return -1, "", err
	}
	return OpenBelow(p.State, folder, create)
}

// OpenStore opens the folder of the installed packages as [OpenOwn] opens those of states and reports.
func OpenStore(create bool) (fd int, at string, err error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return -1, "", err
	}
	return OpenBelow(p.Data, path.Base(p.Store()), create)
}

// OpenBelow does what OpenOwn does for a folder in one of the [places.Places].
func OpenBelow(place, folder string, create bool) (fd int, at string, err error) {
	if at, err = resolve(path.Dir(place)); err != nil {
		return -1, "", err
	}
	if fd, err = walk(at, create); err != nil {
		if p, ok := errors.AsType[*os.PathError](err); ok && strings.HasSuffix(p.Err.Error(), owned) {
			p.Err = Unfit(p.Err.Error() + ": " + elsewhere)
		}
		return -1, "", err
	}
	for _, name := range [...]string{path.Base(place), folder} {
		at += "/" + name
		above := fd
		fd, err = ownFolder(above, name, create)
		unix.Close(above)
		if err != nil {
			return -1, "", &os.PathError{Op: "open", Path: at, Err: err}
		}
	}
	return fd, at, nil
}

// mostLinks are followed in a path; the kernel has the same bound.
const mostLinks = 40

// resolve follows the symbolic links of what is there of a path, as long as no other user can change one.
func resolve(base string) (string, error) {
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
			if target, err = readLink(at, next, int(st.Uid)); err == nil {
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

// readLink reads a symbolic link in a folder without one in its path, if nobody else can put another there.
func readLink(folder, at string, owner int) (string, error) {
	if owner != 0 && owner != unix.Geteuid() && !privdir.IsUnmapped(owner) {
		return "", Unfit("user " + strconv.Itoa(owner) + " owns this link and could have it lead elsewhere")
	}
	fd, err := walk(strings.TrimRight(folder, "/"), false)
	if err != nil {
		return "", err
	}
	unix.Close(fd)
	return os.Readlink(at)
}

// walk opens a folder, and demands of each on the way that nobody else can rename what lies in it.
func walk(at string, create bool) (int, error) {
	fd, err := unix.Open("/", openPath|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
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
		fd, err = unix.Openat(above, name, openPath|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
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

// makeOwn makes a folder that this user may enter, whatever the umask. Where that fails the open that follows does.
func makeOwn(at int, name string) error {
	err := unix.Mkdirat(at, name, 0o700)
	if err == nil {
		privdir.MakeSearchable(at, name)
	}
	return err
}

// notMade is the error of an open, or where a folder is missing why that could not be made.
func notMade(open, made error) error {
	if open != unix.ENOENT || made == nil {
		return open
	}
	return &unmade{made}
}

// An unmade is the error of a folder that is not there and cannot be made.
type unmade struct{ err error }

func (u *unmade) Error() string {
	return "it cannot be made here: " + u.err.Error() + ": " + elsewhere
}

// elsewhere is how a user has what lasts lie in other folders. Set in front of a command the variables do not count.
const elsewhere = "start mcp-sandbox from a program that has XDG_STATE_HOME and XDG_DATA_HOME lead to folders of " +
	"your own (in a shell export them, then exec $SHELL)"

func (u *unmade) Unwrap() error { return u.err }

// checkAbove is an error if another user could rename what lies in a folder.
func checkAbove(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch owner, foreign, write := others(&st); {
	case foreign:
		return Unfit("user " + strconv.Itoa(owner) + owned)
	case write && uint32(st.Mode)&unix.S_ISVTX == 0:
		return Unfit("others may write to this folder and put another in place of what lies in it: " +
			"chmod go-w it")
	}
	return nil
}

// ownFolder opens one of the product's folders, which only this user may enter.
func ownFolder(at int, name string, create bool) (int, error) {
	var made error
	if create {
		made = makeOwn(at, name)
	}
	fd, err := openFolder(at, name)
	if err != nil {
		return -1, notMade(err, made)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && int(st.Uid) != unix.Geteuid() {
		err = Unfit("user " + strconv.Itoa(int(st.Uid)) + " owns it")
	}
	if err == nil && st.Mode&0o777 != 0o700 {
		err = unix.Fchmod(fd, 0o700)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
