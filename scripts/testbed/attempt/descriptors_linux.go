package attempt

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Descriptor is one open descriptor. One that was inherited never has close-on-exec; those of the Go runtime (epoll,
// cgroup CPU files) always have.
type Descriptor struct {
	FD        int    `json:"fd"`
	Kind      string `json:"kind"` // file, dir, pipe, socket, char, block, other
	Path      bool   `json:"path,omitempty"`
	Inherited bool   `json:"inherited"`
}

// maxDescriptor is one above the highest number looked at.
const maxDescriptor = 1024

// descriptors asks fcntl about each number, so it works without /proc, and tells in its detail which were inherited.
func descriptors(_ []string) (Result, error) {
	var found []Descriptor
	var inherited []string
	for fd := range maxDescriptor {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil {
			continue
		}
		status, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		d := Descriptor{FD: fd, Kind: kind(fd), Path: status&unix.O_PATH != 0, Inherited: flags&unix.FD_CLOEXEC == 0}
		if d.Inherited {
			inherited = append(inherited, strconv.Itoa(fd))
		}
		found = append(found, d)
	}
	return Result{Detail: strings.Join(inherited, " "), Descriptors: found}, nil
}

func kind(fd int) string {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return "other"
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "file"
	case unix.S_IFDIR:
		return "dir"
	case unix.S_IFIFO:
		return "pipe"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR:
		return "char"
	case unix.S_IFBLK:
		return "block"
	}
	return "other"
}
