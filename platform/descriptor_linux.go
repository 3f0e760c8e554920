package platform

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// oPath is a descriptor that is a place and no open file.
const oPath = unix.O_PATH

// FileOf is the path of the regular file behind a descriptor, and "" if there is something else or the file is deleted.
func FileOf(fd int) string {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink == 0 {
		return ""
	}
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), b)
	if err != nil || n == 0 || n == len(b) || b[0] != '/' {
		return ""
	}
	return string(b[:n])
}
