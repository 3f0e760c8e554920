package egress

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A publishing is a publisher of one port, with sockets of this process's own network namespace.
type publishing struct {
	*Publisher
	t     *testing.T
	asked int
	inner net.Listener // what stands for the server
}

func publish(t *testing.T, sockets int) *publishing {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	port := inner.Addr().(*net.TCPAddr).Port
	entry, err := policy.ParsePublish("0:" + strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	made, err := Publish([]policy.Publish{entry})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	p := &publishing{Publisher: made, t: t, inner: inner}
	var all []int
	for range sockets {
		all = append(all, socket(t))
	}
	if err := p.Begin(all, func() { p.asked++ }); err != nil {
		t.Fatal(err)
	}
	p.from.pause(false)
	return p
}

func socket(t *testing.T) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func (p *publishing) dial() net.Conn {
	p.t.Helper()
	c, err := net.Dial("tcp", p.ports[0].at.String())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

// until serves until something is so.
func (p *publishing) until(what string, is func() bool) {
	p.t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); {
		if time.Now().After(end) {
			p.t.Fatal("not ", what)
		}
		unix.Poll([]unix.PollFd{{Fd: int32(p.set.FD()), Events: unix.POLLIN}}, 100)
		p.set.Serve()
	}
}

// For each socket that is used another is asked for. A connection waits for one, and is reset where none can be made.
func TestPublisherAsks(t *testing.T) {
	p := publish(t, layers.PublishReady)
	for i := range layers.PublishReady {
		p.dial()
		p.until("joined", func() bool { return p.relay.Live() == i+1 })
	}
	if p.asked != layers.PublishReady || len(p.sockets) != 0 {
		t.Fatalf("%d asked for, %d at hand", p.asked, len(p.sockets))
	}
	first, second := p.dial(), p.dial()
	p.until("waiting", func() bool { return len(p.waiting) == 2 })
	if want := layers.PublishReady + 2; p.asked != want {
		t.Errorf("%d asked for, want %d", p.asked, want)
	}
	p.Give(nil)
	if n, err := first.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
		t.Errorf("without a socket: %d bytes, %v", n, err)
	}
	p.Give([]int{socket(t)})
	p.until("joined", func() bool { return p.relay.Live() == layers.PublishReady+1 })
	if _, err := io.WriteString(second, "x"); err != nil {
		t.Error(err)
	}
	if p.Publisher.asked != layers.PublishReady {
		t.Errorf("%d are awaited after two have come", p.Publisher.asked)
	}
	p.Stop()
	if p.living != p.relay.Live() {
		t.Errorf("%d live, %d are joined", p.living, p.relay.Live())
	}
}

// A caller that is gone is no longer waited for, and makes room.
func TestPublisherForgetsCallers(t *testing.T) {
	p := publish(t, 0)
	c := p.dial().(*net.TCPConn)
	p.until("waiting", func() bool { return len(p.waiting) == 1 })
	c.SetLinger(0)
	c.Close()
	p.until("forgotten", func() bool { return p.living == 0 })
	if len(p.waiting) != 0 || len(p.calls) != 0 {
		t.Errorf("%d wait, %d are open", len(p.waiting), len(p.calls))
	}
}

// Callers above the limit stay in the queue until one ends.
func TestPublisherPauses(t *testing.T) {
	p := publish(t, 0)
	var all []*net.TCPConn
	for range mostCalls + 1 {
		all = append(all, p.dial().(*net.TCPConn))
	}
	p.until("full", func() bool { return p.from.paused })
	if p.living != mostCalls {
		t.Fatalf("%d live", p.living)
	}
	all[0].SetLinger(0)
	all[0].Close()
	p.until("full again", func() bool { return p.living == mostCalls && !gone(p, all) })
}

// gone reports whether the first caller is still among those that live.
func gone(p *publishing, all []*net.TCPConn) bool {
	for c := range p.calls {
		if at, err := unix.Getpeername(c.host); err != nil || addrPortOf(at) == netip.MustParseAddrPort(all[0].LocalAddr().String()) {
			return true
		}
	}
	return false
}

// A socket that the kernel has connected to itself is no connection to a server.
func TestToItself(t *testing.T) {
	fd := socket(t)
	defer unix.Close(fd)
	unix.SetNonblock(fd, false)
	if err := unix.Bind(fd, sockaddr(netip.MustParseAddrPort("127.0.0.1:0"))); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Connect(fd, at); err != nil || !toItself(fd) {
		t.Errorf("%v, not told", err)
	}
	p := publish(t, 0)
	other := socket(t)
	defer unix.Close(other)
	unix.SetNonblock(other, false)
	if err := unix.Connect(other, sockaddr(p.ports[0].at)); err != nil || toItself(other) {
		t.Errorf("%v, or told of another", err)
	}
}

// What cannot be bound leaves nothing open, and each fact is what the kernel says.
func TestPublishRefused(t *testing.T) {
	p := publish(t, 0)
	taken := policy.Publish{Address: p.ports[0].at.Addr(), HostPort: p.ports[0].at.Port(), Port: 1}
	if _, err := Publish([]policy.Publish{taken}); !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("a port that is taken: %v", err)
	}
	if f := p.Facts()[0]; f.Got != f.Want || f.Got != p.ports[0].at.String() {
		t.Errorf("%+v", f)
	}
	at := p.ports[0].fd
	unix.Shutdown(at, unix.SHUT_RDWR) // which ends a listener
	if f := p.Facts()[0]; f.Got == f.Want {
		t.Errorf("of a socket that does not listen: %+v", f)
	}
}
