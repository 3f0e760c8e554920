package altered

import (
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	launches "github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// standIn is the least that the proofs of the rows need: connections are reset, names ending in .invalid do not exist,
// and no other has a record.
type standIn struct {
	epoll   int
	sockets []layers.Carried
}

func serveNothing(sockets []layers.Carried) (launches.Serving, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	in := &standIn{fd, sockets}
	for _, s := range sockets {
		event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(s.FD)}
		if err := unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, s.FD, &event); err != nil {
			in.Close()
			return nil, err
		}
	}
	return in, nil
}

func (s *standIn) FD() int { return s.epoll }

func (s *standIn) Begin() {}

func (s *standIn) Serve() {
	var events [16]unix.EpollEvent
	n, _ := unix.EpollWait(s.epoll, events[:], 0)
	for _, e := range events[:max(n, 0)] {
		i := slices.IndexFunc(s.sockets, func(c layers.Carried) bool { return c.FD == int(e.Fd) })
		switch s.sockets[i].Kind {
		case layers.DNSUDP:
			answerQuestion(int(e.Fd))
		case layers.DNSTCP, layers.Listener:
			reset(int(e.Fd))
		default:
			unix.Read(int(e.Fd), make([]byte, 1024))
		}
	}
}

func (s *standIn) Close() {
	for _, c := range s.sockets {
		unix.Close(c.FD)
	}
	unix.Close(s.epoll)
}

func reset(listener int) {
	fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err == nil {
		unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		unix.Close(fd)
	}
}

// answerQuestion answers from the address that was asked, which IPV6_PKTINFO or IP_PKTINFO tells.
func answerQuestion(fd int) {
	b, oob := make([]byte, 512), make([]byte, 128)
	n, oobn, _, from, err := unix.Recvmsg(fd, b, oob, 0)
	if err != nil || n < 18 || oobn == 0 {
		return
	}
	b[2], b[3] = b[2]|0x80, 0x80
	if string(b[n-13:n-5]) == "\x07invalid" {
		b[3] |= 3
	}
	unix.Sendmsg(fd, b[:n], oob[:oobn], from, 0)
}

// serve serves the sockets of a policy with domains by the least that the proofs need. With the name of a file Begin
// looks whether the server has made that.
func (l *Launch) serve(sockets []layers.Carried) (launches.Serving, error) {
	s, err := serveNothing(sockets)
	if err == nil && l.Sockets != "" {
		s = beginning{s, l.Sockets}
	}
	return s, err
}

// A beginning is slow in Begin, and looks then whether the server has run.
type beginning struct {
	launches.Serving
	mark string
}

func (b beginning) Begin() {
	testbed.Span(300 * time.Millisecond)
	_, err := os.Stat(b.mark)
	os.WriteFile(b.mark+" at Begin", strconv.AppendBool(nil, err == nil), 0o600)
}
