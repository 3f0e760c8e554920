package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// EachEntry calls each with the name and the type, such as DT_DIR, of all that lies in an open folder from its offset on,
// but the two of dots.
func EachEntry(fd int, each func(name string, kind byte)) error {
	b := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(fd, b)
		if n <= 0 || err != nil {
			return os.NewSyscallError("getdents64", err)
		}
		whole := dirents(b[:n], func(name string, kind byte) {
			if name != "." && name != ".." {
				each(name, kind)
			}
		})
		if !whole {
			return os.NewSyscallError("getdents64", unix.EIO)
		}
	}
}
