package pairs_test

import (
	"fmt"
	"sync/atomic"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// floods are X15.
func floods() []attack { return []attack{{name: "64 threads", act: flooded, want: "ok"}} }

// flooded has 64 threads make calls. Questions are answered and bytes are carried meanwhile: so many of both.
func flooded(s *server) string {
	const rounds = 10
	threads := 64
	if !s.Launched {
		threads = 2 // nothing holds them back
	}
	var calls atomic.Int64
	var all []func()
	for i := range threads {
		fd := s.tcp()
		all = append(all, func() {
			switch i % 4 {
			case 0:
				if fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err == nil {
					unix.Close(fd)
				}
			case 1:
				_ = unix.Connect(fd, local(s.Forbidden))
			case 2:
				_, _ = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			default:
				_, _ = unix.Getsockname(fd)
			}
			calls.Add(1)
		})
	}
	stop := beside(all...)
	defer stop()
	testbed.Comes(func() bool { return calls.Load() > 1000 })
	stream, began := s.echo(), calls.Load()
	var seen each
	for i := range rounds {
		seen.add(echoed(stream))
		seen.add(s.asked(i))
	}
	if !testbed.Comes(func() bool { return calls.Load() > began }) {
		return "no flood any more"
	}
	return seen.String()
}

// question is one for A of a name of no allowed host.
func question(id int) []byte {
	return append([]byte{byte(id >> 8), byte(id), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0},
		"\x04evil\x07example\x00\x00\x01\x00\x01"...)
}

// asked asks a name server for a name of no allowed host, by a socket that other questions have not used.
func (s *server) asked(id int) string {
	fd := udp()
	defer unix.Close(fd)
	port := 53
	if !s.Launched {
		port = s.Names
	}
	if err := unix.Connect(fd, local(port)); err != nil {
		return nameOf(err)
	}
	question := question(id)
	if _, err := unix.Write(fd, question); err != nil {
		return nameOf(err)
	}
	var b [512]byte
	n, err := unix.Read(fd, b[:])
	if err != nil || n < len(question) || b[0] != question[0] || b[1] != question[1] {
		return fmt.Sprintf("%d bytes, %v", n, err)
	}
	return "ok"
}
