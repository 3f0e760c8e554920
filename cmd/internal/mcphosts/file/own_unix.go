//go:build darwin || linux

package file

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"golang.org/x/sys/unix"
)

// lockPatience is how long another mcp-sandbox may take for a file.
const lockPatience = 20 * time.Second

// lock lets one process of this user change files at a time, and opens the folder in which such a process works. No
// server sees the folder, whatever is granted.
func lock() (own *folder, unlock func(), err error) {
	folderFD, at, err := state.OpenOwn("wrap", true)
	if err != nil {
		return nil, nil, err
	}
	own = &folder{folderFD, at}
	fd, err := unix.Openat(own.fd, "lock", unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		own.close()
		return nil, nil, err
	}
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(10 * time.Millisecond) {
		switch err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return own, func() { unix.Close(fd); own.close() }, nil
		case err == unix.EWOULDBLOCK && time.Now().After(deadline):
			err = errLocked
		case err == unix.EWOULDBLOCK || err == unix.EINTR:
			continue
		}
		unix.Close(fd)
		own.close()
		return nil, nil, err
	}
}

// backups opens the folder of the backups.
func backups() (*folder, error) {
	fd, at, err := state.OpenOwn("backups", true)
	if err != nil {
		return nil, err
	}
	return &folder{fd, at}, nil
}
