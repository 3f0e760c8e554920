package pairs_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// passes are X13 to X15 and more: what goes through a pair to the launcher, and how much.
func passes() []attack {
	all := []attack{
		{name: "SO_PASSCRED", act: autobound, want: "ok", outside: noWayToNames},
		{name: "the sender's credentials", act: credentials, want: "none", control: "none"},
		{name: "streams one after another", act: oneByOne, want: "ok"},
		{name: "datagrams one after another", act: datagramsOneByOne, want: "ok"},
	}
	passed := "ok" // and the launcher closes what comes
	if hasPassRights() {
		passed = "EPERM"
	}
	for name, open := range map[string]func(*server) int{"a new stream": (*server).tcp,
		"a connected stream": (*server).echo, "datagrams": (*server).udp} {
		for what, itself := range map[string]bool{"pipes": false, "itself": true} {
			all = append(all, attack{name: "pass " + what + " to " + name, act: passTo(open, itself),
				want:    passed,
				control: "EINVAL|ok|EPIPE|EDESTADDRREQ", keeps: itself})
		}
	}
	return all
}

// hasPassRights reports whether an end can refuse to be sent descriptors: Linux 6.16.
func hasPassRights() bool {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	return unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_PASSRIGHTS, 0) == nil
}

// passTo sends descriptors to the launcher: of pipes, or the socket's own.
func passTo(open func(*server) int, itself bool) func(*server) string {
	return func(s *server) string {
		fd := open(s)
		var pipe [2]int
		if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
			return nameOf(err)
		}
		s.closing(pipe[0])
		s.closing(pipe[1])
		fds := []int{pipe[0], pipe[1], 0, pipe[0], pipe[1]}
		if itself {
			fds = []int{fd, fd}
		}
		var seen each
		for range 50 {
			err := unix.Sendmsg(fd, []byte("x"), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
			if err != unix.EAGAIN {
				seen.add(nameOf(err))
			}
		}
		return seen.String()
	}
}

// autobound has the kernel give an end a name: unix(7), SO_PASSCRED.
func autobound(s *server) string {
	for _, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_STREAM} {
		fd := s.closing(socket(kind))
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
		_, _ = unix.SendmsgN(fd, []byte("x"), nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
	}
	return "ok"
}

// noWayToNames tries every name that the kernel may have given: nobody can connect there, nor send there.
func noWayToNames(t *testing.T, _ *world) {
	own, _ := testbed.Pair(t, unix.SOCK_SEQPACKET) // control: an end with a name
	err := unix.SetsockoptInt(int(own.Fd()), unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
	if err == nil {
		_, err = own.Write([]byte("x"))
	}
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, line := range strings.Split(string(table), "\n") {
		words := strings.Fields(line)
		if len(words) != 8 || len(words[7]) != 6 || words[7][0] != '@' || words[4] != "0005" || words[3] != "00000000" {
			continue // but for those that the kernel has given to seqpacket sockets; another program's may listen
		}
		for _, network := range []string{"unix", "unixgram", "unixpacket"} {
			c, err := net.Dial(network, words[7])
			if err == nil {
				c.Close()
				t.Errorf("%s: %s connects", line, network)
			}
			tried++
		}
	}
	if tried == 0 {
		t.Error("not even the test's own end has a name")
	}
}

// credentials asks for the sender's pid and descriptor with each message, SO_PASSPIDFD: the sender is the launcher.
func credentials(s *server) string {
	fd := s.echo()
	for _, option := range []int{unix.SO_PASSPIDFD, unix.SO_PASSCRED} {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, 1); err != unix.ENOPROTOOPT && s.Launched {
			return nameOf(err)
		}
	}
	if _, err := unix.Write(fd, []byte("x")); err != nil {
		return nameOf(err)
	}
	var oob [256]byte
	_, n, _, _, err := unix.Recvmsg(fd, make([]byte, 1), oob[:], unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return nameOf(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		return "none"
	}
	text := ""
	for _, m := range messages {
		text += fmt.Sprintf("%d %x ", m.Header.Type, m.Data)
	}
	return text
}

// oneByOne uses many streams, each once.
func oneByOne(s *server) string {
	var seen each
	for range max(600, s.Many*5/3) { // more than the launcher keeps idle
		fd := tcp()
		text := nameOf(unix.Connect(fd, local(s.Echo)))
		if text == "ok" {
			text = echoed(fd)
		}
		seen.add(text)
		unix.Close(fd)
	}
	return seen.String()
}

// datagramsOneByOne has many sockets of datagrams, each used once.
func datagramsOneByOne(s *server) string {
	var seen each
	for range max(4200, s.Many/3) { // more than it remembers of ended ones
		fd := udp()
		_, err := unix.SendmsgN(fd, []byte("no question"), nil, local(53), unix.MSG_NOSIGNAL)
		seen.add(nameOf(err))
		unix.Close(fd)
	}
	return seen.String()
}
