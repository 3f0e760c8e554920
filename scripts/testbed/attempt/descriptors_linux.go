package attempt

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Descriptor is one open descriptor. One that was inherited never has close-on-exec; those of the Go runtime (epoll,
// cgroup CPU files) always have.
type Descriptor struct {
	FD        int    `json:"fd"`
	Kind      string `json:"kind"` // file, dir, pipe, socket, char, block, other
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
		d := Descriptor{FD: fd, Kind: kind(fd), Inherited: flags&unix.FD_CLOEXEC == 0}
		if d.Inherited {
			inherited = append(inherited, strconv.Itoa(fd))
		}
		found = append(found, d)
	}
	return Result{Detail: strings.Join(inherited, " "), Descriptors: found}, nil
}

func kind(fd int) string {
	var st unix.Stat_t
	unix.Fstat(fd, &st) // of mode 0 where it fails
	kinds := map[uint32]string{unix.S_IFREG: "file", unix.S_IFDIR: "dir", unix.S_IFIFO: "pipe",
		unix.S_IFSOCK: "socket", unix.S_IFCHR: "char", unix.S_IFBLK: "block"}
	return cmp.Or(kinds[st.Mode&unix.S_IFMT], "other")
}
