package pairs_test

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A sender sends one byte to an address, from a socket.
type sender func(fd, at, size, flags int) string

var senders = map[string]sender{
	"sendto": func(fd, at, size, flags int) string {
		_, text := letter()
		return call(unix.SYS_SENDTO, fd, text, 1, flags|unix.MSG_NOSIGNAL, at, size)
	},
	"sendmsg": func(fd, at, size, flags int) string {
		return call(unix.SYS_SENDMSG, fd, message(at, size), flags|unix.MSG_NOSIGNAL)
	},
	"sendmmsg": func(fd, at, size, flags int) string {
		return call(unix.SYS_SENDMMSG, fd, message(at, size), 1, flags|unix.MSG_NOSIGNAL)
	},
}

func letter() ([]byte, int) {
	b, at := pages(1)
	b[0] = 'x'
	return b, at
}

// message is struct mmsghdr, which begins with struct msghdr: one byte to an address.
func message(at, size int) int {
	b, where := letter()
	put := func(i, n int) { binary.NativeEndian.PutUint64(b[i:], uint64(n)) }
	put(64, where) // struct iovec
	put(72, 1)
	put(128, at) // struct msghdr
	put(136, size)
	put(144, where+64)
	put(152, 1)
	return where + 128
}

// A target of a sender: the results from a connected stream, from a new stream and from a socket of datagrams.
type target struct {
	name                          string
	at                            func(*server) (at, size int)
	stream, fresh, datagram       string
	outStream, outFresh, outDgram string // without a launcher
}

// sends are X11: sends with an address, of which nothing arrives.
func sends() (all []attack) {
	for by, send := range senders {
		for _, to := range targets(by) {
			for _, from := range []struct {
				name          string
				socket        func(*server) int
				want, control string
			}{
				{"a connected stream", (*server).echo, to.stream, to.outStream},
				{"a new stream", (*server).tcp, to.fresh, to.outFresh},
				{"datagrams", (*server).udp, to.datagram, to.outDgram},
			} {
				all = append(all, attack{name: by + " to " + to.name + " from " + from.name, want: from.want,
					control: from.control, act: func(s *server) string {
						at, size := to.at(s)
						return send(from.socket(s), at, size, 0)
					}})
			}
		}
		all = append(all, attack{name: by + " with MSG_FASTOPEN", want: fastOpen(by), control: "ok|EPIPE|ENOTSUP",
			act: func(s *server) string {
				_, at := sockaddr(s.Forbidden)
				return send(s.tcp(), at, 16, unix.MSG_FASTOPEN)
			}})
	}
	return all
}

// reaches are sends that a server makes without a launcher: each place outside the policy gets something.
func reaches() (all []attack) {
	for kind, number := range kinds {
		for _, prefix := range []string{"", "@"} {
			all = append(all, attack{name: "reach UNIX " + prefix + kind, want: "EAFNOSUPPORT", control: "ok",
				act: func(s *server) string {
					fd, err := unix.Socket(unix.AF_UNIX, number|unix.SOCK_CLOEXEC, 0)
					if err != nil {
						return nameOf(err)
					}
					at, size := unixAddress(prefix + s.Path + kind)
					if text := call(unix.SYS_CONNECT, s.closing(fd), at, size); text != "ok" {
						return text
					}
					return nameOf(second(unix.Write(fd, []byte("x"))))
				}})
		}
	}
	return append(all, attack{name: "reach the forbidden port", want: "ECONNREFUSED", control: "ok",
		act: func(s *server) string { return nameOf(unix.Connect(s.tcp(), local(s.Forbidden))) }})
}

func second(_ int, err error) error { return err }

func fastOpen(by string) string {
	if by == "sendto" {
		return "ENOTSUP"
	}
	return "EISCONN"
}

func targets(by string) []target {
	inet := func(port func(*server) int) func(s *server) (int, int) {
		return func(s *server) (int, int) {
			_, at := sockaddr(port(s))
			return at, 16
		}
	}
	forbidden := target{name: "the forbidden port", at: inet(func(s *server) int { return s.Forbidden }),
		stream: "EISCONN", fresh: "EISCONN", datagram: "ok", outStream: "ok|EISCONN", outFresh: "EPIPE", outDgram: "ok"}
	if by == "sendto" {
		forbidden.datagram = "ECONNREFUSED"
	}
	all := []target{forbidden}
	for kind := range kinds {
		for _, prefix := range []string{"", "@"} {
			all = append(all, target{name: "UNIX " + prefix + kind, at: func(s *server) (int, int) {
				return unixAddress(prefix + s.Path + kind)
			}, stream: "EISCONN", fresh: "EISCONN", datagram: datagramTo(by), outStream: "ok|EISCONN",
				outFresh: "EPIPE", outDgram: "EINVAL|EAFNOSUPPORT"})
		}
	}
	return all
}

// datagramTo is a send from a seqpacket end to AF_UNIX, whose address the kernel ignores.
func datagramTo(by string) string {
	if by == "sendto" {
		return "EAFNOSUPPORT"
	}
	return "ok"
}
