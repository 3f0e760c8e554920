package dial

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// answering is a proxy that gives every connection to a function.
func answering(t *testing.T, f func(net.Conn)) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { f(c); c.Close() }()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// connects is an http proxy that says something once the request has come.
func connects(say func(c net.Conn, request string)) func(net.Conn) {
	return func(c net.Conn) {
		r := bufio.NewReader(c)
		request := ""
		for !strings.HasSuffix(request, "\r\n\r\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			request += line
		}
		say(c, request)
		io.Copy(io.Discard, r) // until the dialer closes
	}
}

// rest reads from a connection until the peer closes or the text has come.
func rest(t *testing.T, fd int, text string) {
	t.Helper()
	dup, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(dup), "stream")
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(10 * time.Second))
	got := make([]byte, len(text))
	if _, err := io.ReadFull(f, got); err != nil || string(got) != text {
		t.Errorf("behind the answer: %q, %v, want %q", got, err, text)
	}
}

func TestProxyConnect(t *testing.T) {
	for what, say := range map[string]func(c net.Conn, request string){
		"at once": func(c net.Conn, _ string) { io.WriteString(c, "HTTP/1.1 200 OK\r\nA: b\r\n\r\nBEHIND") },
		"in one-byte pieces": func(c net.Conn, _ string) {
			c.(*net.TCPConn).SetNoDelay(true)
			for _, b := range []byte("HTTP/1.1 200 OK\r\nA: b\r\n\r\nBEHIND") {
				c.Write([]byte{b})
			}
		},
		"8 KiB": func(c net.Conn, _ string) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nA: "+strings.Repeat("x", mostHeader-24)+"\r\n\r\nBEHIND")
		},
	} {
		t.Run(what, func(t *testing.T) {
			requests := make(chan string, 1)
			port := answering(t, connects(func(c net.Conn, request string) {
				requests <- request
				say(c, request)
			}))
			b := newBench(t, proxy(t, "http://user:s3cret@127.0.0.1:"+port), nil)
			o := b.dial(to(netip.MustParseAddrPort("192.0.2.1:443"))) // never dialled
			for o.calls == 0 {
				serveOnce(t, b)
			}
			if o.err != nil {
				t.Fatal(o.err)
			}
			t.Cleanup(func() { unix.Close(o.fd) })
			if want := "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\nProxy-Authorization: Basic dXNlcjpzM2NyZXQ=\r\n\r\n"; <-requests != want {
				t.Error("another request")
			}
			rest(t, o.fd, "BEHIND")
		})
	}
}

func serveOnce(t *testing.T, b *bench) {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(b.set.FD()), Events: unix.POLLIN}}, 20000)
	if n == 0 && err == nil {
		t.Fatal("nothing happened for 20 s")
	}
	b.set.Serve()
}

// run dials until done was called; the other side of the proxy is in this process, so descriptors are not counted.
func run(t *testing.T, b *bench, target Target) *outcome {
	t.Helper()
	o := b.dial(target)
	for o.calls == 0 {
		serveOnce(t, b)
	}
	if o.fd >= 0 {
		t.Cleanup(func() { unix.Close(o.fd) })
	}
	if o.calls != 1 || !b.Next().IsZero() || (o.fd >= 0) != (o.err == nil) {
		t.Errorf("done was called %d times with %d, %v", o.calls, o.fd, o.err)
	}
	return o
}

func TestProxyRefuses(t *testing.T) {
	say := func(text string) func(net.Conn) {
		return connects(func(c net.Conn, _ string) { io.WriteString(c, text) })
	}
	for what, c := range map[string]struct {
		f      func(net.Conn)
		status int
		text   string
	}{
		"403":     {say("HTTP/1.1 403 Forbidden\r\n\r\nno"), 403, "proxy's answer: status 403"},
		"407":     {say("HTTP/1.1 407 X\r\nProxy-Authenticate: Basic\r\n\r\n"), 407, "proxy's answer: status 407: another name or password is wanted"},
		"garbage": {say("\x00\xff\x00"), 0, "proxy's answer: no answer of HTTP"},
		"endless": {say(strings.Repeat("HTTP/1.1 200 OK\r\n", 1000)), 0, "proxy's answer: a header of more than 8 KiB"},
		"closes":  {func(c net.Conn) { bufio.NewReader(c).ReadString('\n'); c.(*net.TCPConn).CloseWrite() }, 0, "proxy's answer: the proxy closed the connection"},
	} {
		t.Run(what, func(t *testing.T) {
			port := answering(t, c.f)
			b := newBench(t, proxy(t, "http://user:s3cret@127.0.0.1:"+port), nil)
			o := run(t, b, to())
			r, ok := errors.AsType[*Refused](o.err)
			if want := "proxy 127.0.0.1:" + port + ": " + c.text; !ok || r.Status != c.status || o.err.Error() != want {
				t.Errorf("got %v, want %s", o.err, want)
			}
		})
	}
	t.Run("nothing listens", func(t *testing.T) {
		at := refusing(t)
		b := newBench(t, proxy(t, "http://user:s3cret@"+at.String()), nil)
		o := b.serve(t, b.dial(to()))
		if want := "proxy " + at.String() + ": connect: connection refused"; !errors.Is(o.err, unix.ECONNREFUSED) || o.err.Error() != want {
			t.Errorf("got %v", o.err)
		}
	})
}

// A proxy that does not answer has 10 s after it was connected.
func TestProxySlow(t *testing.T) {
	for _, scheme := range []string{"http", "socks5h"} {
		port := answering(t, func(c net.Conn) { io.Copy(io.Discard, c) })
		b := newBench(t, proxy(t, scheme+"://127.0.0.1:"+port), nil)
		o := b.dial(to())
		b.now = b.now.Add(whole - 1)
		for b.dials[0].talk == nil {
			serveOnce(t, b)
		}
		if passed := b.pass(t); passed != whole || !errors.Is(o.err, unix.ETIMEDOUT) || !strings.HasSuffix(o.err.Error(), ": proxy's answer: connection timed out") {
			t.Errorf("after %v: %v", passed, o.err)
		}
	}
}

func TestSOCKS(t *testing.T) {
	const want = "\x05\x02\x00\x02" + "\x01\x04user\x06s3cret" + "\x05\x01\x00\x03\x09a.example\x01\xbb"
	got := make(chan string, 1)
	port := answering(t, func(c net.Conn) {
		var all bytes.Buffer
		for i, step := range []int{4, 13, 16} {
			io.CopyN(&all, c, int64(step))
			for _, b := range []byte([]string{"\x05\x02", "\x01\x00", "\x05\x00\x00\x03\x03abcxxBEHIND"}[i]) {
				c.Write([]byte{b})
			}
		}
		got <- all.String()
		io.Copy(io.Discard, c)
	})
	b := newBench(t, proxy(t, "socks5h://user:s3cret@127.0.0.1:"+port), nil)
	o := run(t, b, to())
	if o.err != nil {
		t.Fatal(o.err)
	}
	if g := <-got; g != want {
		t.Errorf("sent %q, want %q", g, want)
	}
	rest(t, o.fd, "BEHIND")
}

// What NO_PROXY has, and the loopback, is dialled at its addresses.
func TestWithoutProxy(t *testing.T) {
	p, err := ProxyFrom(env("HTTPS_PROXY", "http://127.0.0.1:1", "NO_PROXY", "example.com,192.0.2.0/24"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, p, nil)
	_, at := listening(t, loopback(0, 1), 8)
	b.before = descriptors(t)
	for _, target := range []Target{
		{Name: "a.example.com", Addresses: []netip.AddrPort{at}, Port: 443},
		{Addresses: []netip.AddrPort{at}, Port: at.Port()},
	} {
		if b.Proxied(target) {
			t.Errorf("%v goes by the proxy", target)
		}
		b.before = descriptors(t)
		if o := b.serve(t, b.dial(target)); o.err != nil || peer(t, o.fd) != at {
			t.Errorf("%v: %v", target, o.err)
		}
	}
	for _, target := range []Target{to(at), {Addresses: []netip.AddrPort{netip.MustParseAddrPort("198.51.100.1:443")}, Port: 443}} {
		if !b.Proxied(target) {
			t.Errorf("%v goes without the proxy", target)
		}
	}
	b.before = descriptors(t)
	if o := b.serve(t, b.dial(to(at))); !errors.Is(o.err, unix.ECONNREFUSED) || !strings.HasPrefix(o.err.Error(), "proxy 127.0.0.1:1: ") {
		t.Errorf("got %v", o.err)
	}
	b.before = descriptors(t)
	if o := b.serve(t, b.dial(Target{Name: "x\r\nA: b", Port: 443})); !errors.Is(o.err, unix.EINVAL) {
		t.Errorf("got %v", o.err)
	}
}

// A book is a resolver that answers when the test says so.
type book struct {
	asked map[dnsmessage.Type]func(resolve.Answer)
	name  string
}

func (k *book) Lookup(q resolve.Query, done func(resolve.Answer)) {
	k.asked[q.Type], k.name = done, q.Name
}

func TestProxyName(t *testing.T) {
	_, at := listening(t, loopback(0, 1), 8)
	port := "http://Proxy.Corp:" + at.String()[len("127.0.0.1:"):]
	found := resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{at.Addr()}}
	start := func(t *testing.T, value string) (*bench, *book, *outcome) {
		k := &book{asked: map[dnsmessage.Type]func(resolve.Answer){}}
		b := newBench(t, proxy(t, value), k)
		o := b.dial(to())
		if len(k.asked) != 2 || o.calls != 0 {
			t.Fatalf("asked for %d, %v", len(k.asked), o.err)
		}
		return b, k, o
	}
	connected := func(t *testing.T, b *bench) {
		for b.dials[0].talk == nil {
			serveOnce(t, b)
		}
	}
	t.Run("both", func(t *testing.T) {
		b, k, _ := start(t, port)
		if k.name != "proxy.corp" {
			t.Errorf("asked for %s", k.name)
		}
		k.asked[dnsmessage.TypeA](found)
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.NoData})
		connected(t, b)
	})
	t.Run("one is late", func(t *testing.T) {
		b, k, o := start(t, port)
		k.asked[dnsmessage.TypeA](found)
		if passed := b.pass(t); passed != resolutionDelay {
			t.Errorf("waited %v", passed)
		}
		connected(t, b)
		k.asked[dnsmessage.TypeAAAA](found)
		if o.calls != 0 || len(b.dials[0].race.runners) != 0 {
			t.Error("a late answer changes a connected dial")
		}
	})
	t.Run("the late one is the good one", func(t *testing.T) {
		b, k, o := start(t, port)
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.9")}})
		b.pass(t)
		for len(b.dials[0].race.runners) > 0 {
			serveOnce(t, b)
		}
		if o.calls != 0 {
			t.Fatal(o.err)
		}
		k.asked[dnsmessage.TypeA](found)
		connected(t, b)
	})
	t.Run("no such name", func(t *testing.T) {
		b, k, o := start(t, port)
		k.asked[dnsmessage.TypeA](resolve.Answer{Code: resolve.NoName})
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.NoName})
		b.ended(t, o)
		if !errors.Is(o.err, unix.ENOENT) || !strings.Contains(o.err.Error(), ": look up: ") {
			t.Errorf("got %v", o.err)
		}
	})
	t.Run("no answer", func(t *testing.T) {
		b, k, o := start(t, port)
		if passed := b.pass(t); passed != whole || !errors.Is(o.err, unix.ETIMEDOUT) || !strings.Contains(o.err.Error(), ": look up: ") {
			t.Errorf("after %v: %v", passed, o.err)
		}
		k.asked[dnsmessage.TypeA](found) // too late
		b.ended(t, o)
	})
	t.Run("localhost", func(t *testing.T) {
		b, k, _ := start(t, strings.Replace(port, "Proxy.Corp", "localhost", 1))
		k.asked[dnsmessage.TypeA](resolve.Answer{Code: resolve.NoName})
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.NoName})
		connected(t, b)
	})
	t.Run("canceled", func(t *testing.T) {
		b, k, o := start(t, port)
		o.cancel()
		k.asked[dnsmessage.TypeA](found)
		k.asked[dnsmessage.TypeAAAA](found)
		if o.calls != 0 || descriptors(t) != b.before {
			t.Error("done was called, or a socket opened")
		}
	})
}
