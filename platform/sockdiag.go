package platform

import (
	"bytes"
	"encoding/binary"
)

// A BoundSocket is a UNIX domain socket with a name in a file system.
type BoundSocket struct {
	// Name is the argument of bind(2). Name may be relative, or of another root, and the file may be renamed or
	// removed.
	Name string
	Dev  uint64 // of the file system, as mountinfo has it: major<<32 | minor
	Ino  uint32 // the lower half of the inode's number
}

// What sock_diag(7) names; linux/netlink.h, linux/unix_diag.h.
const (
	diagError   = 2 // NLMSG_ERROR
	diagDone    = 3 // NLMSG_DONE
	diagHead    = 16
	diagMessage = 16 // struct unix_diag_msg
	diagName    = 0  // UNIX_DIAG_NAME
	diagVFS     = 1  // UNIX_DIAG_VFS: inode and device

	diagStream      = 1 // the type of struct unix_diag_msg, as socket(2) has it
	diagSeqpacket   = 5
	diagEstablished = 1 // its state, one of TCP's
)

// A DiagError is the number of the error with which the kernel answered; 0 is an answer that is not as sock_diag(7)
// says.
type DiagError int

func (e DiagError) Error() string { return "sock_diag: not as sock_diag(7) says" }

// ParseBoundSockets adds the sockets of one datagram of the answer to those before; done after the last. An accepted
// connection, which only its peer can reach, is left out: its name is the listening socket's.
func ParseBoundSockets(b []byte, before []BoundSocket) (all []BoundSocket, done bool, err error) {
	all = before
	for len(b) >= diagHead {
		n := int(binary.NativeEndian.Uint32(b))
		if n < diagHead || n > len(b) {
			return all, false, DiagError(0)
		}
		body := b[diagHead:n]
		switch kind := binary.NativeEndian.Uint16(b[4:]); kind {
		case diagError, diagDone:
			if len(body) >= 4 {
				if e := int32(binary.NativeEndian.Uint32(body)); e < 0 {
					return all, false, DiagError(-e)
				}
			}
			return all, true, nil
		default:
			if len(body) < diagMessage {
				return all, false, DiagError(0)
			}
			connection := body[2] == diagEstablished && (body[1] == diagStream || body[1] == diagSeqpacket)
			s, bound, ok := parseBound(body[diagMessage:])
			if !ok {
				return all, false, DiagError(0)
			}
			if bound && !connection {
				all = append(all, s)
			}
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return all, false, nil
}

// parseBound reads the attributes of one socket; netlink(7) has their form.
func parseBound(b []byte) (s BoundSocket, bound, ok bool) {
	for len(b) >= 4 {
		n := int(binary.NativeEndian.Uint16(b))
		if n < 4 || n > len(b) {
			return s, false, false
		}
		value := b[4:n]
		switch binary.NativeEndian.Uint16(b[2:]) {
		case diagName:
			s.Name = string(bytes.TrimRight(value, "\x00"))
		case diagVFS:
			if len(value) < 8 {
				return s, false, false
			}
			s.Ino = binary.NativeEndian.Uint32(value)
			dev := uint64(binary.NativeEndian.Uint32(value[4:])) // as the kernel has it inside: 12 bits and 20
			s.Dev, bound = dev>>20<<32|dev&(1<<20-1), true
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return s, bound, true
}
