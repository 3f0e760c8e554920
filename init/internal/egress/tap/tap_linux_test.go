package tap

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tapped are the four sockets, with their filters or without, in the order TCP, ICMP, TCP over IPv6, ICMPv6.
type tapped [4]int

func open(t *testing.T, filtered bool) (s tapped) {
	for i, p := range []struct{ family, protocol int }{
		{unix.AF_INET, unix.IPPROTO_TCP}, {unix.AF_INET, unix.IPPROTO_ICMP},
		{unix.AF_INET6, unix.IPPROTO_TCP}, {unix.AF_INET6, unix.IPPROTO_ICMPV6},
	} {
		fd, err := unix.Socket(p.family, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, p.protocol)
		if err != nil {
			t.Error(err)
			runtime.Goexit()
		}
		t.Cleanup(func() { unix.Close(fd) })
		switch {
		case !filtered:
		case i%2 == 1:
			err = Unreachable(fd, i >= 2)
		default:
			err = Attach(fd, FilterTCP(i >= 2))
		}
		if err != nil {
			t.Error(err)
		}
		s[i] = fd
	}
	return s
}

// read returns what is queued: how many packets, and what the functions tell of them. The kernel queues a packet of lo
// before the call that sent it returns, or, at the latest, before the answer that the test has waited for.
func (s tapped) read(t *testing.T) (packets int, refused []Refused) {
	b := make([]byte, 1<<16)
	for i, fd := range s {
		for {
			n, from, err := unix.Recvfrom(fd, b, 0)
			if err == unix.EAGAIN {
				break
			}
			if err != nil {
				t.Error(err)
				break
			}
			packets++
			if r, ok := parse(i, b[:n], from); ok {
				r.Payload = bytes.Clone(r.Payload)
				refused = append(refused, r)
			}
		}
	}
	return packets, refused
}

func parse(i int, packet []byte, from unix.Sockaddr) (Refused, bool) {
	switch i {
	case 0:
		return TCP4(packet)
	case 1:
		return ICMP4(packet)
	case 2:
		return TCP6(packet, netip.AddrFrom16(from.(*unix.SockaddrInet6).Addr))
	}
	return ICMP6(packet)
}

// TestLive: a refused connection and a refused datagram are told of, each by one packet; of everything else none is
// queued. Without the filters there are others, so that their absence says something.
func TestLive(t *testing.T) {
	inside(t, func() {
		filtered, bare := open(t, true), open(t, false)
		for _, to := range []string{"192.0.2.7", "198.18.0.1", "127.0.0.1", "2001:db8::7", "::1"} {
			for _, udp := range []bool{false, true} {
				at := netip.AddrPortFrom(netip.MustParseAddr(to), 4430)
				payload := refuse(t, at, udp, 11)
				packets, refused := filtered.read(t)
				if packets != 1 || len(refused) != 1 || !same(refused[0], Refused{at.Addr(), at.Port(), udp, payload}) {
					t.Errorf("%v, UDP %v: %d packets, %+v", at, udp, packets, refused)
				}
				all, refused := bare.read(t)
				if len(refused) != 1 || !udp && all < 2 {
					t.Errorf("%v, UDP %v, without filters: %d packets, %+v", at, udp, all, refused)
				}
			}
		}
	})
}

func same(a, b Refused) bool {
	return a.Addr == b.Addr && a.Port == b.Port && a.UDP == b.UDP && bytes.Equal(a.Payload, b.Payload)
}

// refuse sends to a port where nothing listens, waits for ECONNREFUSED, and returns the payload.
func refuse(t *testing.T, to netip.AddrPort, udp bool, size int) []byte {
	network, payload := "tcp", []byte(nil)
	if udp {
		network, payload = "udp", bytes.Repeat([]byte("q"), size)
	}
	c, err := dial(network, to)
	if err == nil && udp {
		defer c.Close()
		c.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err = c.Write(payload); err == nil {
			_, err = c.Read(make([]byte, 1))
		}
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("%s %v: %v, want ECONNREFUSED", network, to, err)
	}
	return payload
}

// dial makes the socket on the calling thread, whose namespace the socket gets: net.Dial may use other threads.
func dial(network string, to netip.AddrPort) (net.Conn, error) {
	if network == "udp" {
		return net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	}
	return net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(to))
}

// TestQuoted: the longest payload that comes back, with which the comment at Refused.Payload agrees.
func TestQuoted(t *testing.T) {
	inside(t, func() {
		s := open(t, true)
		for to, most := range map[string]int{"192.0.2.7": 520, "2001:db8::7": 1184} {
			for _, size := range []int{0, most, most + 1, 8000} {
				refuse(t, netip.AddrPortFrom(netip.MustParseAddr(to), 53), true, size)
				_, refused := s.read(t)
				if len(refused) != 1 || len(refused[0].Payload) != min(size, most) {
					t.Errorf("%s, %d bytes: %+v", to, size, refused)
				}
			}
		}
	})
}

// TestBusy: of a connection that carries 1 MiB and is closed, or reset by either side, no packet is queued. A refused
// connection afterwards shows that the sockets still hear, and that what came before it has been queued.
func TestBusy(t *testing.T) {
	inside(t, func() {
		filtered, bare := open(t, true), open(t, false)
		for _, address := range []string{"192.0.2.7", "2001:db8::7"} {
			for _, linger := range []struct{ near, far int }{{-1, -1}, {0, -1}, {-1, 0}} {
				carry(t, address, linger.near, linger.far)
				last := netip.AddrPortFrom(netip.MustParseAddr(address), 1)
				refuse(t, last, false, 0)
				packets, refused := filtered.read(t)
				if packets != 1 || len(refused) != 1 || !same(refused[0], Refused{Addr: last.Addr(), Port: 1}) {
					t.Errorf("%s, linger %v: %d packets, %+v", address, linger, packets, refused)
				}
				if all, _ := bare.read(t); all < 8 { // segments fill the queue, and the refusal is lost
					t.Errorf("%s, linger %v, without filters: %d packets", address, linger, all)
				}
			}
		}
	})
}

func carry(t *testing.T, address string, near, far int) {
	l, err := net.ListenTCP("tcp", nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer l.Close()
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	c, err := net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), port)))
	if err != nil {
		t.Error(err)
		return
	}
	accepted, err := l.AcceptTCP()
	if err != nil {
		t.Error(err)
		return
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := c.Write(make([]byte, 1<<20))
		wrote <- err
	}()
	if n, err := io.CopyN(io.Discard, accepted, 1<<20); err != nil {
		t.Error(n, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	first, second := c, accepted // the one that resets closes first
	if far == 0 {
		first, second = accepted, c
	}
	c.SetLinger(near)
	accepted.SetLinger(far)
	first.Close()
	second.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, err = second.Read(make([]byte, 1))
	if want := near == 0 || far == 0; errors.Is(err, unix.ECONNRESET) != want || !want && !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v, reset wanted: %v", err, want)
	}
	second.Close()
}
