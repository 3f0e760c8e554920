package relay

// This file: an end of an AF_UNIX pair that can be reset. The kernel has one way to do that: closing the other end
// while there are bytes in it that nobody has read gives ECONNRESET (unix_release_sock). So one byte stays unread in a
// primed end: at first one that was put there, then each time the last of the bytes that were passed on.
//
// Until a peer is connected its end is not writable either: bytes are put there. A stream is writable while what was
// written takes a quarter of the send buffer at most (unix_writable), with the kernel's own bytes of each write.

import "golang.org/x/sys/unix"

// sendBuffer is what SO_SNDBUF is set to, and the kernel doubles: as much as Linux has unless the machine's sysctls
// net.core.wmem_default and wmem_max say otherwise.
const sendBuffer = 104 << 10

// Fill puts bytes into an end of a stream pair, by the other end, which is not writable then: how many [Empty] has to
// know. The buffer is of 64 kB, whose bytes do not matter.
func Fill(end, other int, b []byte) (n int, err error) {
	if err := unix.SetsockoptInt(other, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer); err != nil {
		return 0, err
	}
	room, err := unix.GetsockoptInt(other, unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil {
		return 0, err
	}
	for _, piece := range [][]byte{b[:min(room/4+1, len(b))], b[:1]} { // the byte that stays is one of a small write
		wrote, err := unix.Write(other, piece)
		if err != nil {
			return n, err
		}
		n += wrote
	}
	writable := [1]unix.PollFd{{Fd: int32(other), Events: unix.POLLOUT}}
	is, err := unix.Poll(writable[:], 0)
	for err == unix.EINTR {
		is, err = unix.Poll(writable[:], 0)
	}
	if is != 0 || err != nil {
		return n, unix.ENOBUFS
	}
	return n, unix.SetsockoptInt(end, unix.SOL_SOCKET, unix.SO_PEEK_OFF, n)
}

// Empty takes these bytes away but for one: the end is primed, and the other end writable.
func Empty(end, n int, b []byte) error {
	for n--; n > 0; {
		got, err := discard(end, b[:min(n, len(b))])
		if err != nil {
			return err
		}
		n -= got
	}
	return nil
}

// Unprime takes the byte away: closing the end is an end of input then.
func Unprime(end int) {
	var b [1]byte
	_, _ = discard(end, b[:])
}

func isPrimed(fd int) bool {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEEK_OFF)
	return err == nil && n >= 1
}

// Unread is how many bytes of the peer's are in a socket: SO_PEEK_OFF of an end has the number of the others.
func Unread(fd int) (int, error) {
	n, err := unix.IoctlGetInt(fd, unix.SIOCINQ)
	if others, none := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEEK_OFF); none == nil && others > 0 {
		n -= others
	}
	return n, err
}

// peek reads the next bytes and leaves them in the socket. What [forget] takes of a primed end begins with the byte
// before them.
func (l *leg) peek(b []byte) (int, error) {
	if l.primed { // each peek moves it on
		if err := unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_PEEK_OFF, 1); err != nil {
			return 0, err
		}
	}
	return peek(l.fd, b)
}
