//go:build darwin || linux

package state

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A Folder is a state in use.
type Folder struct {
	Path string // without a symbolic link in it
	FD   int    // of the folder

	lock int
}

// Open makes the folder of a name where there is none, and takes its lock for a launch.
func Open(name string, o Owner) (*Folder, error) {
	root, at, err := openRoot(true)
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	at += "/" + name
	f := &Folder{Path: at, FD: -1}
	if f.lock, err = lock(root, name, unix.LOCK_SH); err == unix.EWOULDBLOCK {
		return nil, &os.PathError{Op: "lock", Path: at, Err: ErrRemoving}
	}
	if err != nil {
		return nil, &os.PathError{Op: "lock", Path: at, Err: err}
	}
	made := false
	if f.FD, made, err = o.open(root, name); err != nil {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: at, Err: err}
	}
	if made { // else another's word would stand there; where nothing can be written nobody is known
		unix.Ftruncate(f.lock, 0)
		unix.Pwrite(f.lock, []byte(o.Maker[:min(len(o.Maker), mostMaker)]), 0)
	}
	now := unix.NsecToTimeval(time.Now().UnixNano())
	unix.Futimes(f.lock, []unix.Timeval{now, now}) // only a list shows it
	return f, nil
}

// Close gives the lock back.
func (f *Folder) Close() {
	if f == nil {
		return
	}
	for _, fd := range [...]*int{&f.FD, &f.lock} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
}

// Maker names the policy, profile or command of the launch that had the folder of a state made; "" if that is not
// known. there is false where no such folder is.
func Maker(name string) (maker string, there bool) {
	root, _, err := openRoot(false)
	if err != nil {
		return "", false
	}
	defer unix.Close(root)
	var st unix.Stat_t
	if unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return "", false
	}
	fd, err := unix.Openat(root, "."+name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", true
	}
	defer unix.Close(fd)
	text := make([]byte, mostMaker)
	n, _ := unix.Pread(fd, text, 0)
	return string(text[:max(n, 0)]), true
}

// open makes the folder, or takes back the rights to one that a server changed.
func (o *Owner) open(root int, name string) (fd int, made bool, err error) {
	if err = unix.Mkdirat(root, name, 0o700); err != nil && err != unix.EEXIST {
		return -1, false, err
	}
	made = err == nil
	if fd, err = folder.OpenAny(root, name); err != nil {
		return -1, false, err
	}
	if err = o.take(fd); err == nil {
		err = unix.Fchmod(fd, 0o700)
	}
	if err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	return fd, made, nil
}

// take demands that a file is the server's. One of this user's, which is no server's user, was just made.
func (o *Owner) take(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch owner := int(st.Uid); {
	case owner == o.UID:
		return nil
	case o.Chown && owner == unix.Geteuid():
		return unix.Fchown(fd, o.UID, o.GID)
	default:
		return &Foreign{owner, o.UID}
	}
}

// lock takes the lock of a name. Whoever removes a state removes its lock too, so the lock that was taken must still be
// the name's.
func lock(root int, name string, how int) (int, error) {
	const flags = unix.O_RDWR | unix.O_CREAT | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	for range 100 {
		fd, err := unix.Openat(root, "."+name, flags, 0o600)
		if err != nil {
			return -1, err
		}
		unix.Fchmod(fd, 0o600) // the umask may have taken this user's rights
		if err = folder.Lock(fd, how|unix.LOCK_NB); err != nil {
			unix.Close(fd)
			return -1, err
		}
		if folder.Same(fd, root, "."+name) {
			return fd, nil
		}
		unix.Close(fd)
	}
	return -1, unix.EWOULDBLOCK
}
