//go:build darwin || linux

package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// ReportFD is an error unless the caller of this program handed fd over for a report: to write to, and no second way
// to what the server is handed as standard input, output or error. The server writes to these, and could forge what
// is reported.
func ReportFD(fd int) error {
	if err := Inherited(fd, true); err != nil {
		return err
	}
	return notStandard(fd)
}

// CreateReport opens a file for the lines of a report: new with mode 0600, or emptied. A link is not followed, and
// the descriptor survives an execve. A file that is the server's standard input, output or error is refused, and
// left unchanged.
func CreateReport(path string) (int, error) {
	fd, err := openRetry(path, unix.O_WRONLY|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NOCTTY|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if err = notStandard(fd); err == nil {
		err = truncate(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}

// truncate empties a regular file, and leaves all else alone, as O_TRUNC does.
func truncate(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return err
	}
	_, err := retry(func() (int, error) { return 0, unix.Ftruncate(fd, 0) })
	return err
}

// notStandard compares a descriptor with the server's. The two ends of a pipe are one file; those of a socketpair are
// not.
func notStandard(fd int) error {
	var own, st unix.Stat_t
	if err := unix.Fstat(fd, &own); err != nil {
		return err
	}
	for std := range standardNames {
		if unix.Fstat(std, &st) == nil && isSame(fd, std, &own, &st) {
			return sharedError(std)
		}
	}
	return nil
}

// isSame reports whether what is written to one of two descriptors comes out where what is written to the other does.
// Of character devices only a terminal is of that kind: /dev/null may be both.
func isSame(a, b int, x, y *unix.Stat_t) bool {
	if x.Mode&unix.S_IFMT == unix.S_IFCHR {
		return ShowsColour(uintptr(a)) && ShowsColour(uintptr(b)) && sameTerminal(a, b)
	}
	return x.Ino != 0 && x.Dev == y.Dev && x.Ino == y.Ino // macOS numbers no socket of the internet
}
