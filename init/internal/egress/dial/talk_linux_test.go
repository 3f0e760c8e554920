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
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// answering is a proxy that gives every connection to a function.
func answering(t *testing.T, f func(net.Conn)) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup // or a later test would count descriptors that are closed meanwhile
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { f(c); c.Close() })
		}
	})
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
