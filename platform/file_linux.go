package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// ReadSmall reads a file of at most max bytes in few calls and without a stat, as suits /proc. A longer file is an
// error (EFBIG).
func ReadSmall(path string, max int) ([]byte, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	b, err := ReadFD(fd, max)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return b, nil
}

// ReadFD reads what is left behind a descriptor, at most max bytes.
func ReadFD(fd, max int) ([]byte, error) {
	b := make([]byte, 0, min(max+1, 8192))
	for {
		if len(b) == cap(b) {
			if len(b) > max {
				return nil, unix.EFBIG
			}
			b = append(b, 0)[:len(b)]
		}
		n, err := unix.Read(fd, b[len(b):cap(b)])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if len(b) > max {
				return nil, unix.EFBIG
			}
			return b, nil
		}
		b = b[:len(b)+n]
	}
}

// WriteAll writes all of b.
func WriteAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("write", err)
		}
		b = b[n:]
	}
	return nil
}

// WriteFile writes b in one call to a file that exists, as the files of /proc want it.
func WriteFile(path, b string) error {
	fd, err := openRetry(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if _, err = unix.Write(fd, []byte(b)); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
