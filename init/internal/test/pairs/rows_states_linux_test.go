package pairs_test

import (
	"bytes"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// states are X12 and more: calls in an order that no client has.
func states() []attack {
	return []attack{
		{name: "connect after the end", act: afterEnd(unix.SYS_CONNECT), want: "ECONNABORTED", control: "ok"},
		{name: "bind after the end", act: afterEnd(unix.SYS_BIND), want: "ok"},
		{name: "listen after the end", act: afterEnd(unix.SYS_LISTEN), want: "EACCES", control: "ok"},
		{name: "accept after the end", act: afterEnd(unix.SYS_ACCEPT), want: "EINVAL"},
		{name: "connect twice", act: twice, want: "ok EISCONN"},
		{name: "connect twice to the full port", act: twiceFull, want: "EINPROGRESS EALREADY"},
		{name: "connect three times by the same call", act: again(unix.SYS_CONNECT), want: "ok ok EISCONN",
			control: "ok EISCONN EISCONN"},
		{name: "bind twice", act: bindTwice, want: "ok EINVAL"},
		{name: "bind three times by the same call", act: again(unix.SYS_BIND), want: "ok ok EINVAL",
			control: "ok EINVAL EINVAL"},
		{name: "connect after shutdown", act: afterShutdown, want: "EINPROGRESS ok ECONNABORTED",
			control: "EINPROGRESS ok ok"},
		{name: "a connect for each of many threads", act: queue, want: "64 ECONNABORTED, 6 EALREADY",
			control: "69 EPIPE, 1 ECONNRESET"},
		{name: "SO_ERROR of a reset", act: resetError, want: "ok ECONNRESET ok"},
		{name: "the peer of a socket that connects", act: peerEarly, want: "EINPROGRESS ENOTCONN"},
		{name: "connect to AF_UNSPEC", act: unspecified, want: "ok ok EISCONN ok",
			control: "ok ok ok ECONNRESET|ok ok ok EPIPE"},
		{name: "SO_ERROR", act: pendingError, want: "EINPROGRESS ECONNREFUSED ok"},
		{name: "the peer's credentials", act: peers, want: "ENOPROTOOPT",
			control: "ok, ENOPROTOOPT, ENODATA"},
		{name: "options of TCP", act: refusedOptions, want: "ENOPROTOOPT, ENOPROTOOPT",
			control: "ok, ENOTCONN|ok, EPERM|ok, ENOENT|ok, ok"},
		{name: "bytes before connect", act: early, want: "ok", control: "EPIPE"},
		{name: "a long question", act: longQuestion, want: "EMSGSIZE", control: "ok|ECONNREFUSED"},
		{name: "where an answer comes from", act: cameFrom, want: "ok"},
		{name: "urgent bytes", act: urgent, want: "ok"},
		{name: "a larger buffer", act: larger, want: "ok EINPROGRESS not writable"},
		{name: "a filter of the server's own", act: ownFilter, want: "ENOSYS EPERM", control: "ENOSYS ok"},
	}
}

// afterEnd is a call about a stream whose other end the launcher has closed.
func afterEnd(number int) func(*server) string {
	return func(s *server) string {
		_, at := sockaddr(s.Echo)
		if number == unix.SYS_BIND {
			_, at = sockaddr(0)
		}
		return call(number, s.ended(unix.SOCK_STREAM), at, 16)
	}
}

// unspecified disconnects: datagrams, a new stream and a connected one, which echoes all the same.
func unspecified(s *server) string {
	_, none := pages(1)
	stream := s.echo()
	text := ""
	for _, fd := range []int{s.udp(), s.tcp(), stream} {
		text += call(unix.SYS_CONNECT, fd, none, 16) + " "
	}
	if _, err := unix.SendmsgN(stream, []byte("x"), nil, nil, unix.MSG_NOSIGNAL); err != nil {
		return text + nameOf(err)
	}
	return text + "ok"
}

// peers are options that name the process at the other end.
func peers(s *server) string {
	b, at := pages(1)
	b[0] = 64
	var seen each
	for _, fd := range []int{s.echo(), s.tcp(), s.udp()} {
		for _, option := range []int{unix.SO_PEERCRED, unix.SO_PEERSEC, unix.SO_PEERGROUPS, unix.SO_PEERPIDFD} {
			seen.add(call(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, option, at+64, at))
		}
	}
	return seen.String()
}

// refusedOptions are TCP_INFO and TCP_ULP.
func refusedOptions(s *server) string {
	b, at := pages(1)
	b[0] = 64
	fd := s.tcp()
	return call(unix.SYS_GETSOCKOPT, fd, unix.SOL_TCP, unix.TCP_INFO, at+64, at) + ", " +
		nameOf(unix.SetsockoptString(fd, unix.SOL_TCP, unix.TCP_ULP, "tls"))
}

// early writes before there is a connection.
func early(s *server) string {
	fd := s.tcp()
	if _, err := unix.SendmsgN(fd, []byte("early "), nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT); err != nil {
		if err != unix.EAGAIN {
			return nameOf(err)
		}
	}
	if err := unix.Connect(fd, local(s.Forbidden)); err == nil {
		return "connected"
	}
	return "ok"
}

// longQuestion has more bytes than a question.
func longQuestion(s *server) string {
	_, at := pages(2)
	return sendsFrom(at, 5000)(s)
}

// cameFrom is an answer's source, as recvfrom(2) and recvmsg(2) write that.
func cameFrom(s *server) string {
	port := 53
	if !s.Launched {
		port = s.Names
	}
	var seen each
	for _, number := range []int{unix.SYS_RECVFROM, unix.SYS_RECVMSG} {
		fd := s.udp()
		to, at := sockaddr(port)
		if err := unix.Sendto(fd, question(7), 0, local(port)); err != nil {
			return nameOf(err)
		}
		_, answer := pages(1)
		from, source := pages(1)
		from[64] = 16
		args := []int{fd, answer, 512, 0, source, source + 64}
		if number == unix.SYS_RECVMSG {
			args = []int{fd, message(source, 16), 0}
		}
		seen.add(call(number, args...))
		if !bytes.Equal(from[:8], to[:8]) {
			seen.add(fmt.Sprintf("% x, not % x, at %x", from[:8], to[:8], at))
		}
	}
	return seen.String()
}

// urgent sends urgent bytes in between, and reads some of what comes; the launcher serves the next stream.
func urgent(s *server) string {
	fd := s.echo()
	_ = unix.SetNonblock(fd, true)
	var b [4096]byte
	for i := range s.Many {
		flags := unix.MSG_NOSIGNAL
		if i%3 == 1 {
			flags |= unix.MSG_OOB
		}
		_, _ = unix.SendmsgN(fd, b[:1+i%7], nil, nil, flags)
		if i%5 == 0 {
			_, _ = unix.Read(fd, b[:])
		}
	}
	return echoed(s.echo())
}

// larger has room for more bytes than the launcher has filled.
func larger(s *server) string {
	fd := s.tcp()
	_ = unix.SetNonblock(fd, true)
	text := nameOf(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 4<<20))
	text += " " + nameOf(unix.Connect(fd, local(s.Full)))
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if n, err := unix.Poll(p, 0); n != 0 || err != nil {
		return text + " writable " + strconv.FormatInt(int64(p[0].Revents), 16)
	}
	return text + " not writable"
}

// ownFilter has the kernel ask about getsockname(2) once more, and nobody answers; a listener is refused.
func ownFilter(s *server) string {
	fd := s.tcp()
	return alone(func() string {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return nameOf(err)
		}
		first := load(0, unix.SYS_GETSOCKNAME)
		if first != "ok" {
			return "seccomp: " + first
		}
		_, at := pages(1)
		return call(unix.SYS_GETSOCKNAME, fd, at, at) + " " +
			load(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, unix.SYS_GETSOCKNAME)
	})
}

// undumpable closes the process's memory for the launcher.
func undumpable(s *server) string {
	fd := s.tcp()
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return nameOf(err)
	}
	s.after = append(s.after, func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })
	var seen each
	for _, port := range []int{s.Echo, s.Echo, s.Forbidden} {
		seen.add(nameOf(unix.Connect(fd, local(port))))
		fd = s.tcp()
	}
	return fmt.Sprint(seen)
}
