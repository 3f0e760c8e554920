package dial

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

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
	t.Run("the first hangs", func(t *testing.T) {
		hangs := hanging(t)
		b, k, _ := start(t, "http://proxy.corp:"+strconv.Itoa(int(hangs.Port())))
		listening(t, loopback(hangs.Port(), 2), 8)
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{hangs.Addr()}})
		b.pass(t)
		k.asked[dnsmessage.TypeA](resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{loopback(1, 2).Addr()}})
		if passed := b.pass(t); passed != nextAfter {
			t.Errorf("waited %v", passed)
		}
		connected(t, b)
	})
	t.Run("neither is good", func(t *testing.T) {
		b, k, o := start(t, "http://proxy.corp:"+strconv.Itoa(int(refusing(t).Port())))
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{loopback(1, 1).Addr()}})
		b.pass(t)
		for len(b.dials[0].race.runners) > 0 {
			serveOnce(t, b)
		}
		k.asked[dnsmessage.TypeA](resolve.Answer{Code: resolve.NoData})
		if o.calls != 1 || !errors.Is(o.err, unix.ECONNREFUSED) {
			t.Errorf("got %v", o.err)
		}
	})
	t.Run("no such name", func(t *testing.T) {
		b, k, o := start(t, port)
		k.asked[dnsmessage.TypeA](resolve.Answer{Code: resolve.NoName})
		k.asked[dnsmessage.TypeAAAA](resolve.Answer{Code: resolve.NoName})
		b.ended(t, o)
		if !errors.Is(o.err, unix.ENOENT) || !strings.HasSuffix(o.err.Error(), ": look up: no such name") {
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
