package relay

import (
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A bench is a relay that a goroutine serves. What the relay owns is touched by do alone.
type bench struct {
	*Relay
	t     testing.TB
	set   *loop.Set
	calls chan func()
	wake  [2]int
	ended chan struct{}
	pair  bool // inside is a primed end of an AF_UNIX pair
}

func newBench(t testing.TB) *bench {
	t.Helper()
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{Relay: New(set), t: t, set: set, calls: make(chan func(), 1), ended: make(chan struct{})}
	if err := unix.Pipe2(b.wake[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	go b.serve()
	t.Cleanup(func() {
		b.do(b.Close)
		close(b.calls)
		unix.Write(b.wake[1], []byte{0})
		<-b.ended
		set.Close()
		unix.Close(b.wake[0])
		unix.Close(b.wake[1])
	})
	return b
}

func (b *bench) serve() {
	defer close(b.ended)
	fds := []unix.PollFd{{Fd: int32(b.set.FD()), Events: unix.POLLIN}, {Fd: int32(b.wake[0]), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			panic(err)
		}
		if fds[1].Revents != 0 {
			unix.Read(b.wake[0], make([]byte, 1))
			f, more := <-b.calls
			if !more {
				return
			}
			f()
		}
		b.set.Serve()
	}
}

// do runs a function in the thread that serves.
func (b *bench) do(f func()) {
	done := make(chan struct{})
	b.calls <- func() { f(); close(done) }
	unix.Write(b.wake[1], []byte{0})
	<-done
}

// A joined stream is seen from its two peers.
type joined struct {
	inside  peer
	outside *net.TCPConn
	stream  *Stream
	ended   chan Ended
}

// join relays between two connections, whose far ends it returns.
func (b *bench) join(prefix []byte) *joined {
	b.t.Helper()
	j, in, out := b.ends()
	b.do(func() { j.stream = b.Join(in, out, prefix, func(e Ended) { j.ended <- e }) })
	return j
}

// ends are those of a stream that is not joined.
func (b *bench) ends() (j *joined, in, out int) {
	b.t.Helper()
	j = &joined{ended: make(chan Ended, 2)}
	if b.pair {
		j.inside, in = primed(b.t)
	} else {
		j.inside, in = pair(b.t)
	}
	j.outside, out = pair(b.t)
	return j, in, out
}

func (j *joined) wait(t testing.TB) Ended {
	t.Helper()
	return testbed.Receive(t, "the end of the stream", j.ended)
}

// A peer is a far end.
type peer interface {
	net.Conn
	syscall.Conn
	CloseRead() error
	CloseWrite() error
}

// primed is a pair as a server without a network namespace has one: one end for the test, the other for a relay.
func primed(t testing.TB) (peer, int) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64<<10)
	n, err := Fill(ends[0], ends[1], b)
	if err == nil {
		err = Empty(ends[0], n, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(ends[1]), "pair")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.UnixConn), ends[0]
}

// pair is a TCP connection over loopback: one end for the test, the other's bare descriptor for a relay.
func pair(t testing.TB) (*net.TCPConn, int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() })
	f, err := far.(*net.TCPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer far.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	near.SetDeadline(time.Now().Add(60 * time.Second))
	return near.(*net.TCPConn), fd
}
