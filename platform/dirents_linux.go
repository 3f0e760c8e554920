package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// EachEntry calls each with the name and the type, such as DT_DIR, of all that lies in an open folder from its offset on,
// but the two of dots, until each says that it is enough. What lies there may be removed meanwhile.
func EachEntry(fd int, each func(name string, kind byte) (on bool)) error {
	b := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(fd, b)
		if n <= 0 || err != nil {
			return os.NewSyscallError("getdents64", err)
		}
		on := true
		whole := dirents(b[:n], func(name string, kind byte) {
			if on && name != "." && name != ".." {
				on = each(name, kind)
			}
		})
		if !on {
			return nil
		}
		if !whole {
			return os.NewSyscallError("getdents64", unix.EIO)
		}
	}
}
