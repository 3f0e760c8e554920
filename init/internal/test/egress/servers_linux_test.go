package egress_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// A site is a host of the world.
type site struct {
	Name     string
	V4, V6   netip.Addr
	Accepted atomic.Int64 // connections
	Ended    atomic.Int64 // those of them that its servers are done with
}

// newSite is a host that the name server knows by a name, on addresses of its own.
func newSite(t *testing.T, text string) *site {
	t.Helper()
	s := &site{Name: text}
	s.V4, s.V6 = newAddresses(t)
	know(t, text, name{Addresses: s.addresses(), TTL: 60})
	return s
}

func (s *site) addresses() []netip.Addr {
	if !world.HasIPv6() {
		return []netip.Addr{s.V4}
	}
	return []netip.Addr{s.V4, s.V6}
}

// serve has the host serve a port on each of its addresses until the test's end.
func (s *site) serve(t *testing.T, port int, with func(*net.TCPConn)) *site {
	t.Helper()
	for _, a := range s.addresses() {
		s.listen(t, net.JoinHostPort(a.String(), strconv.Itoa(port)), with)
	}
	return s
}

// listen serves one address, which need not be the site's.
func (s *site) listen(t *testing.T, at string, with func(*net.TCPConn)) {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.Map
	t.Cleanup(func() {
		l.Close()
		all.Range(func(c, _ any) bool { c.(*net.TCPConn).Close(); return true })
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.Accepted.Add(1)
			all.Store(c, nil)
			go func() {
				with(c.(*net.TCPConn))
				c.Close()
				all.Delete(c)
				s.Ended.Add(1)
			}()
		}
	}()
}

// hear has the host take datagrams at its IPv4 address until the test's end. It returns their texts.
func (s *site) hear(t *testing.T, port uint16) <-chan string {
	t.Helper()
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.V4, port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	heard := make(chan string, 16)
	go func() {
		for {
			b := make([]byte, 64)
			n, err := c.Read(b)
			if err != nil {
				return
			}
			heard <- string(b[:n])
		}
	}()
	return heard
}

// echo sends back what comes, and its end.
func echo(c *net.TCPConn) { io.Copy(c, c) }

// whoami says the host's name at once, as SMTP, SSH and MySQL servers speak first, and echoes.
func whoami(text string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		fmt.Fprintf(c, "220 %s\n", text)
		io.Copy(c, c)
	}
}

// upside reads to the end and answers then, as HTTP/1.0 by half-closed connections does.
func upside(c *net.TCPConn) {
	b, _ := io.ReadAll(c)
	fmt.Fprintf(c, "%d bytes: %s", len(b), bytes.ToUpper(b))
}

// firstEnd ends its own direction with a line, and sends what it still gets to a channel.
func firstEnd(got chan<- string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		io.WriteString(c, "over\n")
		c.CloseWrite()
		b, _ := io.ReadAll(c)
		got <- string(b)
	}
}

// resetAfter sends n bytes, waits for one of the peer and resets the connection.
func resetAfter(n int) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		c.Write(make([]byte, n))
		c.Read(make([]byte, 1))
		c.SetLinger(0)
	}
}

// holds keeps the connection until its peer ends, and reads nothing but the end.
func holds(c *net.TCPConn) { io.Copy(io.Discard, c) }

// source reads a number in a line and sends as many bytes of [pattern].
func source(c *net.TCPConn) {
	line, _ := bufio.NewReader(c).ReadString('\n')
	n, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	io.Copy(c, io.LimitReader(new(pattern), n))
}

// sink reads to the end and answers with the hash.
func sink(c *net.TCPConn) {
	h := sha256.New()
	n, _ := io.Copy(h, c)
	fmt.Fprintf(c, "%d %s", n, hex.EncodeToString(h.Sum(nil)))
}

// A pattern is bytes without an end, of which no aligned eight are there twice: what is lost, doubled or moved shows.
type pattern struct{ at uint64 }

func (p *pattern) Read(b []byte) (int, error) {
	for i := range b {
		word := p.at >> 3
		b[i] = byte(word * 0x9e3779b97f4a7c15 >> (56 - p.at&7*8))
		p.at++
	}
	return len(b), nil
}

// patternHash is the hash of the pattern's first n bytes.
func patternHash(n int64) string {
	h := sha256.New()
	io.Copy(h, io.LimitReader(new(pattern), n))
	return hex.EncodeToString(h.Sum(nil))
}

// web answers each request with the host's name, the request's host and its path.
func (s *site) web() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s: %s %s %s%s", s.Name, r.Method, r.Host, r.URL.Path, b)
	})
}

// serveWeb has the host serve HTTP on a port.
func (s *site) serveWeb(t *testing.T, port int) *site {
	t.Helper()
	return s.serve(t, port, oneConn(&http.Server{Handler: s.web()}))
}

// oneConn serves one connection with an HTTP server.
func oneConn(server *http.Server) func(*net.TCPConn) {
	return func(c *net.TCPConn) { server.Serve(&single{c: c, done: make(chan struct{})}) }
}
