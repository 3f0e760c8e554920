package testbed

import (
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Pair makes both ends of a pair of AF_UNIX sockets. They are closed with the test.
func Pair(tb testing.TB, kind int) (own, theirs *os.File) {
	tb.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return closing(tb, os.NewFile(uintptr(fds[0]), "own")), closing(tb, os.NewFile(uintptr(fds[1]), "theirs"))
}

// Stream makes both ends of a connection over the loopback of "tcp4" or "tcp6". They are closed with the test.
func Stream(tb testing.TB, network string) (own, theirs *os.File) {
	tb.Helper()
	l, err := net.Listen(network, map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"}[network])
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial(network, l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	defer near.Close()
	far, err := l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	defer far.Close()
	var ends [2]*os.File
	for i, c := range []net.Conn{near, far} {
		if ends[i], err = c.(*net.TCPConn).File(); err != nil {
			tb.Fatal(err)
		}
		// As a program finds its standard input.
		if err = unix.SetNonblock(int(ends[i].Fd()), false); err != nil {
			tb.Fatal(err)
		}
		closing(tb, ends[i])
	}
	return ends[0], ends[1]
}

func closing(tb testing.TB, f *os.File) *os.File {
	tb.Cleanup(func() { f.Close() })
	return f
}
