package egress

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A publisher leaves no descriptor, whatever it has under way, and one that cannot listen leaves none either.
func TestPublisherLeavesNothing(t *testing.T) {
	publish(t, 0) // the first listener opens what package net waits with
	before := openFiles(t)
	unused := publish(t, 3)
	unused.Close()
	p := publish(t, 4)
	joined := p.dial()
	p.until("joined", func() bool { return p.relay.Live() == 1 })
	for range 4 { // the last one waits for a socket
		p.dial()
	}
	p.until("all", func() bool { return p.living == 5 })
	taken := p.ports[0].at.Port()
	if _, err := Publish([]policy.Publish{{Address: netip.MustParseAddr("127.0.0.1"), Port: 1},
		{Address: netip.MustParseAddr("127.0.0.1"), HostPort: taken, Port: 2}}); !errors.Is(err, unix.EADDRINUSE) {
		t.Error(err)
	}
	waits := p.calls
	p.Close()
	if len(waits) != 0 {
		t.Errorf("%d wait", len(waits))
	}
	if n, err := joined.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("%d bytes of a connection that is closed", n)
	}
	if after := openFiles(t) - 5 - 2; after != before { // the callers' ends, and what stands for the two servers
		t.Errorf("%d descriptors, before there were %d", after, before)
	}
}

// A caller whose connection inside came to itself is reset.
func TestCallToItself(t *testing.T) {
	p := publish(t, 0)
	client := p.dial()
	p.until("waiting", func() bool { return len(p.waiting) == 1 })
	c := p.waiting[0]
	p.waiting = nil
	c.inside = socket(t)
	unix.SetNonblock(c.inside, false)
	if err := unix.Bind(c.inside, sockaddr(netip.MustParseAddrPort("127.0.0.1:0"))); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(c.inside)
	if err == nil {
		err = unix.Connect(c.inside, at)
	}
	if err != nil {
		t.Fatal(err)
	}
	inside := c.inside
	c.connected(nil)
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) || p.living != 0 || p.relay.Live() != 0 {
		t.Errorf("%v, %d live", err, p.living)
	}
	if _, err := unix.Getsockname(inside); err != unix.EBADF {
		t.Errorf("its socket: %v", err)
	}
}

// Once the server has ended, what it said is carried, and a caller that says no more is not waited for.
func TestPublisherFinish(t *testing.T) {
	p := publish(t, 1)
	caller := p.dial()
	p.until("joined", func() bool { return p.relay.Live() == 1 })
	server, err := p.inner.Accept()
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(server, "last words")
	server.Close()
	p.Finish(time.Now().Add(10*time.Second), nil, unix.Poll)
	if p.living != 0 {
		t.Errorf("%d are waited for", p.living)
	}
	if b, err := io.ReadAll(caller); string(b) != "last words" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// Where no file can be opened any more a caller is reset, and does not wait in the queue.
func TestPublisherWithoutFiles(t *testing.T) {
	p := publish(t, 0)
	caller := p.dial()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: old.Max})
	var fill []int
	for {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		fill = append(fill, fd)
	}
	p.set.Serve()
	unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
	for _, fd := range fill {
		unix.Close(fd)
	}
	caller.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := caller.Read(make([]byte, 1)); !errors.Is(err, unix.ECONNRESET) {
		t.Error(err)
	}
	if p.living != 0 || !p.from.reserve.Held() {
		t.Errorf("%d live, the spare is held %v", p.living, p.from.reserve.Held())
	}
}

// A port is free again although a connection of the listener before has not timed out, and [::] leaves IPv4 to others.
func TestListen(t *testing.T) {
	fd, err := listen(netip.MustParseAddrPort("127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	at, err := boundTo(fd)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000)
	accepted, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(accepted) // the first to close waits: TIME-WAIT of RFC 9293
	io.ReadAll(caller)
	caller.Close()
	unix.Close(fd)
	again, err := listen(at)
	if err != nil {
		t.Fatalf("again: %v", err)
	}
	defer unix.Close(again)
	six, err := listen(netip.MustParseAddrPort("[::]:" + strconv.Itoa(int(at.Port()))))
	if errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL) {
		return // without IPv6 in the kernel
	}
	if err != nil {
		t.Fatalf("[::] beside IPv4: %v", err)
	}
	unix.Close(six)
}
