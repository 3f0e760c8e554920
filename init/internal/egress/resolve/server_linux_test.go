package resolve

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A handler is a nameserver's: it gets each question with its transport, and send sends an answer to it.
type handler func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message))

// A server is a nameserver of the test's, over UDP and TCP at the same port.
type server struct {
	udp       *net.UDPConn
	tcp       net.Listener
	handle    handler
	questions atomic.Int32
	all       sync.WaitGroup // what may close a descriptor
}

// listen has a nameserver at the address; with port 0 at one that is free for both.
func listen(t *testing.T, address string, port int, h handler) *server {
	t.Helper()
	for range 20 {
		u, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.ParseIP(address), Port: port})
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", u.LocalAddr().String())
		if err != nil {
			u.Close()
			continue
		}
		s := &server{udp: u, tcp: l, handle: h}
		t.Cleanup(func() { u.Close(); l.Close(); s.all.Wait() })
		s.all.Go(s.datagrams)
		s.all.Go(s.streams)
		return s
	}
	t.Fatal("no port is free for UDP and TCP")
	return nil
}

func (s *server) port() uint16 { return uint16(s.udp.LocalAddr().(*net.UDPAddr).Port) }

func (s *server) datagrams() {
	b := make([]byte, 4096)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		s.question(b[:n], false, func(b []byte) { s.udp.WriteToUDPAddrPort(b, from) })
	}
}

func (s *server) streams() {
	for {
		c, err := s.tcp.Accept()
		if err != nil {
			return
		}
		s.all.Go(func() {
			defer c.Close()
			var length [2]byte
			if _, err := io.ReadFull(c, length[:]); err != nil {
				return
			}
			b := make([]byte, binary.BigEndian.Uint16(length[:]))
			if _, err := io.ReadFull(c, b); err != nil {
				return
			}
			s.question(b, true, func(b []byte) {
				b = append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
				for i := range b { // in pieces
					c.Write(b[i : i+1])
				}
			})
		})
	}
}

func (s *server) question(b []byte, tcp bool, send func([]byte)) {
	var q dnsmessage.Message
	if q.Unpack(b) != nil {
		return
	}
	s.questions.Add(1)
	s.handle(q, tcp, func(m dnsmessage.Message) {
		if b, err := m.Pack(); err == nil {
			send(b)
		}
	})
}

// answer is an answer to the question with these records.
func answered(q dnsmessage.Message, code dnsmessage.RCode, records ...dnsmessage.Resource) dnsmessage.Message {
	return dnsmessage.Message{
		Header:    dnsmessage.Header{ID: q.ID, Response: true, RecursionAvailable: true, RCode: code},
		Questions: q.Questions, Answers: records,
	}
}

func header(name string, ttl uint32) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name + "."), Class: dnsmessage.ClassINET, TTL: ttl}
}

func a(name string, ttl uint32, address string) dnsmessage.Resource {
	ip := netip.MustParseAddr(address)
	if ip.Is4() {
		return dnsmessage.Resource{Header: header(name, ttl), Body: &dnsmessage.AResource{A: ip.As4()}}
	}
	return dnsmessage.Resource{Header: header(name, ttl), Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}}
}

func cname(name string, ttl uint32, target string) dnsmessage.Resource {
	body := &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(target + ".")}
	return dnsmessage.Resource{Header: header(name, ttl), Body: body}
}

func soa(name string, ttl, least uint32) dnsmessage.Resource {
	n := dnsmessage.MustNewName(name + ".")
	body := &dnsmessage.SOAResource{NS: n, MBox: n, MinTTL: least}
	return dnsmessage.Resource{Header: header(name, ttl), Body: body}
}

// A bench is a resolver with files of its own and a clock that stands still until it is moved.
type bench struct {
	*Resolver
	set *loop.Set
	now time.Time
	dir string
}

func newBench(t *testing.T, port uint16, resolv, hosts string) *bench {
	t.Helper()
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{set: set, now: time.Now(), dir: t.TempDir()}
	b.write(t, "resolv.conf", resolv)
	b.write(t, "hosts", hosts)
	b.Resolver = New(set, Config{
		Hosts: filepath.Join(b.dir, "hosts"), Resolv: filepath.Join(b.dir, "resolv.conf"), Port: port,
		Now: func() time.Time { return b.now },
	})
	t.Cleanup(func() { b.Close(); set.Close() })
	return b
}

func (b *bench) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serve serves the set until the condition is true.
func (b *bench) serve(t *testing.T, until func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !until(); {
		left := time.Until(end)
		if left <= 0 {
			t.Fatal("nothing happened for 20 s")
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(b.set.FD()), Events: unix.POLLIN}}, int(left/time.Millisecond)); err == nil {
			b.set.Serve()
		}
	}
}

// pass moves the clock to the next time at which there is something to do.
func (b *bench) pass(t *testing.T) time.Duration {
	t.Helper()
	next := b.Next()
	if next.IsZero() {
		t.Fatal("there is nothing to wait for")
	}
	passed := next.Sub(b.now)
	b.now = next
	b.Due(next)
	return passed
}

// look looks a name up and waits for the answer.
func (b *bench) look(t *testing.T, name string, kind dnsmessage.Type) Answer {
	t.Helper()
	var got []Answer
	b.Lookup(Query{name, kind}, func(a Answer) { got = append(got, a) })
	b.serve(t, func() bool { return len(got) > 0 })
	if !b.Next().IsZero() {
		t.Error("something is still under way")
	}
	if len(got) != 1 {
		t.Errorf("done was called %d times", len(got))
	}
	return got[0]
}
