package streams

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Check describes the descriptors that are a server's standard input, output and error, and refuses files that would
// open the host's tree or network to the server: a folder or an O_PATH descriptor is a starting point for openat(2), a
// block device is a whole file system, and a socket keeps the network namespace that it was made in. Where anySocket is
// set the server has the host's network anyway.
func Check(fds [3]int, anySocket bool) (host [3]layers.Standard, err error) {
	for i, fd := range fds {
		if host[i], err = usable(fd, anySocket); err != nil {
			path := "descriptor " + strconv.Itoa(i)
			return host, &order.Refusal{Layer: order.Descriptors, Op: diagnose.OpUse, Path: path, Err: err}
		}
	}
	return host, nil
}

func usable(fd int, anySocket bool) (is layers.Standard, err error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return is, errors.New("it is closed; give it /dev/null")
	}
	if flags&unix.O_PATH != 0 {
		return is, errors.New("it was opened with O_PATH; it must be a pipe, socket, terminal, file or /dev/null")
	}
	if is, err = Describe(fd); err != nil {
		return is, err
	}
	switch is.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFREG:
		return is, nil
	case unix.S_IFSOCK:
		if anySocket || is.OnePeer() || isStream(&is) {
			return is, nil
		}
		return is, errors.New("it is a socket that is not connected with one peer " +
			"(a datagram, listening or unconnected one): the server could reach other addresses by it; " +
			"give it a pipe, a socketpair or a connected stream")
	case unix.S_IFCHR:
		if is.Major == 1 && is.Minor == 3 || IsTerminal(fd) { // null(4)
			return is, nil
		}
	}
	return is, errors.New("it must be a pipe, socket, terminal, file or /dev/null")
}

// Describe looks at an open file.
func Describe(fd int) (is layers.Standard, err error) {
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		return is, os.NewSyscallError("fstat", err)
	}
	is = layers.Standard{Mode: st.Mode, FileID: platform.StatID(&st),
		Major: unix.Major(st.Rdev), Minor: unix.Minor(st.Rdev)}
	if !is.Is(unix.S_IFSOCK) {
		return is, nil
	}
	var got [3]int
	for i, option := range [...]int{unix.SO_DOMAIN, unix.SO_TYPE, unix.SO_ACCEPTCONN} {
		if got[i], err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, option); err != nil {
			return is, os.NewSyscallError("getsockopt", err)
		}
	}
	_, err = unix.Getpeername(fd)
	is.Domain, is.Type, is.Listens = uint32(got[0]), uint32(got[1]), got[2] != 0
	is.Connected = err == nil || err == unix.EAFNOSUPPORT // package unix does not know the family of the peer's address
	return is, nil
}

// isStream reports whether a socket is a connected stream of another family than AF_UNIX: it could be connected anew.
// Bytes are carried to the socket and from it, and the server gets a pipe.
func isStream(is *layers.Standard) bool {
	return is.Is(unix.S_IFSOCK) && is.Domain != unix.AF_UNIX && is.Type == unix.SOCK_STREAM &&
		!is.Listens && is.Connected
}

// Carried reports whether the server gets a pipe in place of one of the host's descriptors.
func Carried(is *layers.Standard, anySocket bool) bool {
	return is.Is(unix.S_IFREG) || isStream(is) && !anySocket
}

// SameFile reports whether two descriptors are open on one file.
func SameFile(a, b int) bool {
	var x, y unix.Stat_t
	return unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && platform.StatID(&x) == platform.StatID(&y)
}

// IsTerminal reports whether a descriptor is open on a terminal.
func IsTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
