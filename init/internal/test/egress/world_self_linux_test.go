package egress_test

import (
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// The world itself: what the tests say of a sandbox would prove nothing in one where the same acts fail anyway.
func TestWorld(t *testing.T) {
	s := newSite(t, "world.example.com").serve(t, 25, whoami("world")).serve(t, 7, echo).serve(t, 9, upside).
		serve(t, 19, source).serve(t, 20, sink).serve(t, 21, resetAfter(10)).serveWeb(t, 80).serveTLS(t, 443)
	got := make(chan string, 2)
	s.serve(t, 22, firstEnd(got))
	ca := authorityFile(t)
	const size = 1 << 20
	for _, c := range []struct{ act, text, err string }{
		{act("tcp", "world.example.com:7", "hello"), "hello", ""},
		{act("tcp", s.V4.String()+":7", "hello"), "hello", ""},
		{act("tcp", "["+s.V6.String()+"]:7", "hello"), "hello", ""},
		{act("banner", "world.example.com:25"), "220 world", ""},
		{act("half-close", "world.example.com:9", "abc"), "3 bytes: ABC", ""},
		{act("late", "world.example.com:22", "late"), "over\n", ""},
		{act("read", "world.example.com:21", "x"), "", "ECONNRESET"},
		{act("tcp", "world.example.com:8", "hello"), "", "ECONNREFUSED"},
		{act("source", "world.example.com:19", "1048576"), "1048576 " + patternHash(size), ""},
		{act("sink", "world.example.com:20", "1048576"), "1048576 " + patternHash(size), ""},
		{act("get", "http://world.example.com/a"), "world.example.com: GET world.example.com /a", ""},
		{act("get", "https://world.example.com/a"), "world.example.com: GET world.example.com /a", ""},
		{act("tls", "world.example.com:443", "other.example.com", "whole"), "world.example.com: GET  /tls", ""},
		{act("tls", "world.example.com:443", "-", "1"), "world.example.com: GET  /tls", ""},
		{act("tls", "world.example.com:443", "x.example.com", "records"), "world.example.com: GET  /tls", ""},
		{act("udp", "world.example.com:53"), "", "ECONNREFUSED"},
		{act("lookup", "nowhere.example.com"), "", "NXDOMAIN"},
		{act("own", "tcp", "127.0.0.1:0"), "to itself", ""},
		{act("serial", "world.example.com:7", "50"), "", ""},
		{act("many", "world.example.com:7", "50"), "", ""},
		{act("streams", "world.example.com:7", "20", "100000"), "", ""},
	} {
		if strings.Contains(c.act, "2001:") && !world.HasIPv6() {
			continue
		}
		r := outside(t, []string{"SSL_CERT_FILE=" + ca}, c.act)[0]
		if r.Text != c.text || r.Error != c.err {
			t.Errorf("%s: want %q, error %q", r, c.text, c.err)
		}
	}
	if late := <-got; late != "late" {
		t.Errorf("after its own end the server got %q", late)
	}
}

func TestNameServer(t *testing.T) {
	resolvConf(t, "timeout:3", "timeout:30") // in three seconds and two attempts a busy machine may not answer
	address := netip.MustParseAddr("203.0.113.201")
	var wide []netip.Addr
	for i := range 60 {
		wide = append(wide, netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}))
	}
	know(t, "plain.ns.example.com", name{Addresses: []netip.Addr{address}})
	know(t, "alias.ns.example.com", name{Alias: "plain.ns.example.com"})
	know(t, "wide.ns.example.com", name{Addresses: wide})
	know(t, "fails.ns.example.com", name{Fails: true})
	know(t, "lies.ns.example.com", name{Addresses: []netip.Addr{address}, Lies: true})
	know(t, "srv.ns.example.com", name{Targets: []dnsmessage.SRVResource{{Port: 5, Target: dnsmessage.MustNewName("plain.ns.example.com.")}}})
	for _, c := range []struct {
		name  string
		count int
		err   string
	}{
		{"plain.ns.example.com", 1, ""}, {"alias.ns.example.com", 1, ""}, {"wide.ns.example.com", 60, ""},
		{"fails.ns.example.com", 0, "SERVFAIL"}, {"none.ns.example.com", 0, "NXDOMAIN"}, {"lies.ns.example.com", 1, ""}, {world.InFile, 1, ""},
	} {
		r := outside(t, []string{"GODEBUG=netdns=go"}, act("lookup", c.name, "ip4"))[0]
		if len(r.All) != c.count || !strings.HasPrefix(r.Error, c.err) || (c.err == "") != (r.Error == "") {
			t.Errorf("%s: want %d, %q", r, c.count, c.err)
		}
		n := len(asked(c.name))
		if (c.name == world.InFile) != (n == 0) {
			t.Errorf("the server was asked %d times about %s: %v", n, c.name, asked(c.name))
		}
	}
	if q := asked("wide.ns.example.com"); q[len(q)-1] != "wide.ns.example.com A tcp" {
		t.Errorf("a truncated answer was asked for again as %v", q)
	}
}
