package cgroup

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A folder is a group by its descriptor.
type folder struct {
	fd   int
	name string // in its parent's folder
}

func openFolder(at int, name string) (*folder, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return &folder{fd, name}, nil
}

func (f *folder) close() {
	if f != nil {
		unix.Close(f.fd)
	}
}

// read reads one of a group's files, without the newline at its end.
func (f *folder) read(name string) (string, error) {
	fd, err := unix.Openat(f.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	b, err := platform.ReadFD(fd, 1<<20)
	return strings.TrimSuffix(string(b), "\n"), err
}

// write writes one of a group's files by one write(2): the kernel takes a second one as a second value.
func (f *folder) write(name, text string) error {
	fd, err := unix.Openat(f.fd, name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(text))
	return err
}

// mkdir makes a group. Its mode does not follow from the umask: a umask of 0700 would keep the owner out.
func (f *folder) mkdir(name string) (*folder, error) {
	err := unix.Mkdirat(f.fd, name, 0o755)
	if err == nil {
		err = unix.Fchmodat(f.fd, name, 0o755, 0)
	}
	if err != nil {
		return nil, &os.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return openFolder(f.fd, name)
}

// children are the groups in a folder.
func (f *folder) children() (names []string) {
	platform.EachEntry(f.fd, ".", func(name string, kind byte) bool {
		if kind == unix.DT_DIR {
			names = append(names, name)
		}
		return true
	})
	return names
}
