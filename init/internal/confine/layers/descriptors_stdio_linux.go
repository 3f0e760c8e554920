package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A Standard describes an open file that can become the server's standard input, output or error.
type Standard struct {
	platform.FileID
	Mode         uint32 // st_mode
	Major, Minor uint32 // of a device
	Domain, Type uint32 // of a socket
	Listens      bool
	Connected    bool // a socket's, to one peer
}

// Is reports whether the file is of a type such as unix.S_IFSOCK.
func (s *Standard) Is(kind uint32) bool { return s.Mode&unix.S_IFMT == kind }

// OnePeer reports whether a socket is connected and cannot be connected to another peer. connect(2) takes a
// new peer for a datagram socket, and for an internet socket after AF_UNSPEC, in whatever network namespace
// the caller is.
func (s *Standard) OnePeer() bool {
	connects := s.Type == unix.SOCK_STREAM || s.Type == unix.SOCK_SEQPACKET
	return s.Domain == unix.AF_UNIX && connects && !s.Listens && s.Connected
}

// harmless reports whether the file reaches nothing but what the host connected.
func (s *Standard) harmless() bool {
	return s.Is(unix.S_IFIFO) || s.Is(unix.S_IFCHR) || s.Is(unix.S_IFSOCK) && s.OnePeer()
}

func (s *Standard) String() string {
	ino := ":[" + strconv.FormatUint(s.Ino, 10) + "]"
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "pipe" + ino
	case unix.S_IFCHR:
		return "device " + strconv.Itoa(int(s.Major)) + ":" + strconv.Itoa(int(s.Minor))
	case unix.S_IFSOCK:
		if s.OnePeer() {
			return "unix " + choose(s.Type == unix.SOCK_STREAM, "stream", "seqpacket") + ino + " with one peer"
		}
		return "socket" + ino + " of family " + strconv.Itoa(int(s.Domain)) + " and type " + strconv.Itoa(int(s.Type))
	}
	return "mode " + octal(int(s.Mode))
}

// stdio compares the server's standard input, output and error with the files that the shim handed over. None
// may open the host's tree or network.
func stdio(b *build) {
	for fd, name := range [...]string{"standard input", "standard output", "standard error"} {
		want := b.Stdio[fd]
		found := describe(b, fd, want.Is(unix.S_IFSOCK))
		b.prove(func(c *check) {
			text, got := want.String(), found(c)
			if !want.harmless() {
				text = "a pipe, a terminal, null, or a socket with one peer"
			}
			c.factIf(got == want && want.harmless(), name, text, got.String())
		})
	}
}

// describe looks at a standard descriptor.
func describe(b *build, fd int, socket bool) func(*check) Standard {
	is := statFD(b, sys.FD(fd))
	is.op.Returns(program.Int(0))
	var options [3]program.Addr // SO_DOMAIN, SO_TYPE, SO_ACCEPTCONN
	var peer program.Op
	zero := program.Int(0)
	if socket {
		for i, option := range [...]int{unix.SO_DOMAIN, unix.SO_TYPE, unix.SO_ACCEPTCONN} {
			options[i] = b.Space(8)
			b.Ask(sys.Getsockopt(sys.FD(fd), unix.SOL_SOCKET, option, options[i], 4)).Returns(zero)
		}
		address := b.Space(unix.SizeofSockaddrAny)
		peer = b.Ask(sys.Getpeername(sys.FD(fd), address, unix.SizeofSockaddrAny)).Returns(zero)
	}
	return func(c *check) Standard {
		inode, device := c.stat(is), is.at.Plus(statxRdev)
		s := Standard{Mode: inode.mode, FileID: inode.FileID}
		s.Major, s.Minor = c.Word32(device), c.Word32(device.Plus(4))
		if socket {
			s.Domain, s.Type = c.Word32(options[0]), c.Word32(options[1])
			s.Listens, s.Connected = c.Word32(options[2]) != 0, c.succeeded(peer)
		}
		return s
	}
}
