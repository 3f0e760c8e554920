package relay

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
)

// many is streams whose peers are bare descriptors, with small socket buffers.
type many struct {
	t               *testing.T
	set             *loop.Set
	r               *Relay
	inside, outside []int
}

func newMany(t *testing.T, n int) *many {
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	m := &many{t: t, set: set, r: New(set)}
	l := m.listen()
	defer unix.Close(l)
	for range n {
		in, a := m.pair(l)
		out, b := m.pair(l)
		m.inside, m.outside = append(m.inside, in), append(m.outside, out)
		m.r.Join(a, b, nil, func(e Ended) { t.Errorf("a stream has ended: %+v", e) })
	}
	return m
}

func (m *many) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *many) socket() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	m.must(err)
	m.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 32<<10))
	m.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 32<<10))
	return fd
}

func (m *many) listen() int {
	fd := m.socket()
	m.must(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	m.must(unix.Listen(fd, 16))
	return fd
}

func (m *many) pair(l int) (near, far int) {
	at, err := unix.Getsockname(l)
	m.must(err)
	near = m.socket()
	m.must(unix.Connect(near, at))
	far, _, err = unix.Accept4(l, unix.SOCK_CLOEXEC)
	m.must(err)
	m.must(unix.SetNonblock(near, true))
	return near, far
}

// serve goes on until nothing moves: the sockets of a machine's own connections hold what was sent at once.
func (m *many) serve() {
	for {
		before := m.moved()
		for range 4 {
			m.set.Serve()
		}
		if m.moved() == before {
			return
		}
	}
}

func (m *many) moved() (n int64) {
	for s := range m.r.live {
		n += s.in.moved + s.out.moved + int64(len(s.in.held)+len(s.out.held))
	}
	return n
}

// stuff writes to a peer's socket until nothing is taken, through the relay and all that the next peer holds.
func (m *many) stuff(fds []int, sent []int, block []byte) {
	for grew := true; grew; {
		grew = false
		for i, fd := range fds {
			for {
				from := sent[i] % len(block)
				n, err := send(fd, block[from:])
				if err != nil {
					break
				}
				sent[i] += n
				grew = true
			}
		}
		m.serve()
	}
}

// receive reads all that comes, and compares.
func (m *many) receive(fds []int, sent []int, block []byte) {
	b := make([]byte, 64<<10)
	got := make([]int, len(fds))
	for missing := true; missing; {
		missing = false
		for i, fd := range fds {
			for got[i] < sent[i] {
				from := got[i] % len(block)
				n, err := unix.Read(fd, b[:min(len(b), len(block)-from)])
				if err == unix.EAGAIN {
					missing = true
					break
				}
				if m.must(err); !bytes.Equal(b[:n], block[from:from+n]) {
					m.t.Fatalf("stream %d: other bytes after %d", i, got[i])
				}
				got[i] += n
			}
		}
		m.set.Serve()
	}
}
