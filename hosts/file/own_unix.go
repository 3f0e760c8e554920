//go:build darwin || linux

package file

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/state"
	"golang.org/x/sys/unix"
)

// lockPatience is how long another mcp-sandbox may take for a file.
const lockPatience = 20 * time.Second

// lock lets one process of this user change files at a time.
func lock() (unlock func(), err error) {
	folder, at, err := state.OpenOwn("wrap", true)
	if err != nil {
		return nil, err
	}
	defer unix.Close(folder)
	fd, err := unix.Openat(folder, "lock", unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: at + "/lock", Err: err}
	}
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(10 * time.Millisecond) {
		switch err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return func() { unix.Close(fd) }, nil
		case err != unix.EWOULDBLOCK && err != unix.EINTR:
			unix.Close(fd)
			return nil, err
		case time.Now().After(deadline):
			unix.Close(fd)
			return nil, errLocked
		}
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
