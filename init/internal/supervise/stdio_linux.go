package supervise

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// checkStdio refuses what would open the host's tree to the server: a folder or an O_PATH descriptor is a starting point
// for openat, a block device is a whole file system.
func checkStdio() error {
	for fd := 0; fd <= 2; fd++ {
		if err := usable(fd); err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "use", Path: "descriptor " + strconv.Itoa(fd), Err: err}
		}
	}
	return nil
}

// letGoOfStdio takes the shim's own copies of standard input and output away once init has them: the reader of the
// server's output has to see its end when the server closes it. Standard error stays for messages.
func letGoOfStdio() {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Close(0)
		unix.Close(1)
		return
	}
	unix.Dup3(null, 0, 0)
	unix.Dup3(null, 1, 0)
	unix.Close(null)
}

func usable(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return errors.New("it is closed; give it /dev/null")
	}
	if flags&unix.O_PATH != 0 {
		return errors.New("it was opened with O_PATH; it must be a pipe, socket, terminal, file or /dev/null")
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFSOCK:
		return nil
	case unix.S_IFREG:
		return nil
	case unix.S_IFCHR:
		if st.Rdev == unix.Mkdev(1, 3) || isTerminal(fd) { // null(4)
			return nil
		}
	}
	return errors.New("it must be a pipe, socket, terminal, file or /dev/null")
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
