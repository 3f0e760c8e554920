package relay

// This file: an end of an AF_UNIX pair that can be reset. The kernel has one way to do that: closing the other end
// while there are bytes in it that nobody has read gives ECONNRESET (unix_release_sock). So one byte stays unread in a
// primed end: at first one that was put there, then each time the last of the bytes that were passed on.
//
// Until a peer is connected its end is not writable either: bytes are put there until the kernel says so.

import "golang.org/x/sys/unix"

// fillings is how often [Fill] writes at most: with 32 kB each 2 MB, more than a send buffer has unless the machine's
// sysctl net.core.wmem_default was raised.
const fillings = 64

// Fill puts bytes into an end of a stream pair, by the other end, which is not writable then: how many [Empty] has to
// know. The buffer's bytes do not matter.
func Fill(end, other int, b []byte) (n int, err error) {
	writable := [1]unix.PollFd{{Fd: int32(other), Events: unix.POLLOUT}}
	for range fillings {
		wrote, err := unix.Write(other, b)
		if err != nil {
			return n, err
		}
		n += wrote
		if is, err := unix.Poll(writable[:], 0); is == 0 && err == nil {
			break
		}
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
