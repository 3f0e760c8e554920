package notice

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

func TestNetwork(t *testing.T) {
	act := func(kind order.DeniedKind, host, address string, port uint16) order.Act {
		return order.Act{Kind: kind, Host: host, Address: address, Port: port}
	}
	for _, c := range []struct {
		denied order.Denied
		ports  []uint16
		want   string
	}{
		{order.Denied{Act: act("name", "api.x.com", "", 0), Flag: "--allow-domain api.x.com"}, nil,
			"api.x.com is not allowed (name looked up); --allow-domain api.x.com"},
		{order.Denied{Act: order.Act{Kind: "name", Host: "dev.x.com", Asked: "localhost"}}, nil,
			"dev.x.com is this machine, by its hosts file (name looked up): have the server ask for localhost, with --allow-domain localhost:PORT"},
		{order.Denied{Act: order.Act{Kind: "name", Host: "svc", Asked: "svc.x.com"}}, nil,
			"svc is not allowed (name looked up): search lists are not used, so have the server ask for svc.x.com, which is"},
		{order.Denied{Act: act("name", "bad.x.com", "", 0)}, nil, "bad.x.com is denied by network.deniedDomains (name looked up)"},
		{order.Denied{Act: act("port", "db.x.com", "", 5432), Flag: "--allow-domain db.x.com:5432"}, []uint16{80, 443},
			"db.x.com:5432 is refused, only 80 and 443 are allowed; --allow-domain db.x.com:5432"},
		{order.Denied{Act: act("port", "db.x.com", "", 22)}, []uint16{443}, "db.x.com:22 is refused, only 443 is allowed"},
		{order.Denied{Act: act("port", "localhost", "", 22)}, nil, "localhost:22 is refused"},
		{order.Denied{Act: act("port", "x.com", "", 1)}, []uint16{2, 3, 4, 5}, "x.com:1 is refused, only 2, 3, 4 and 5 are allowed"},
		{order.Denied{Act: act("port", "x.com", "", 1)}, []uint16{2, 3, 4, 5, 6}, "x.com:1 is refused, only 2, 3, 4 and others are allowed"},
		{order.Denied{Act: act("private", "intra.x.com", "", 0), Flag: "--allow-private"}, nil,
			"intra.x.com resolves to a private address; --allow-private, or allow the address itself"},
		{order.Denied{Act: act("private", "meta.x.com", "", 0)}, nil,
			"meta.x.com resolves to an address that is denied, or that no policy opens: of this machine, its links, a cloud's metadata"},
		{order.Denied{Act: act("address", "", "140.82.112.3", 443)}, nil,
			"140.82.112.3:443 is an address that no allowed name has; the server resolves names itself, or keeps old ones"},
		{order.Denied{Act: act("address", "", "2001:db8::1", 443)}, nil,
			"[2001:db8::1]:443 is an address that no allowed name has; the server resolves names itself, or keeps old ones"},
		{order.Denied{Act: act("udp", "api.x.com", "", 443)}, nil, "udp 443 to api.x.com is refused: only TCP can be allowed"},
		{order.Denied{Act: act("udp", "", "1.1.1.1", 53)}, nil, "udp 53 to 1.1.1.1 is refused: only TCP can be allowed"},
		{order.Denied{Act: order.Act{Kind: "server-name", Host: "api.x.com", Port: 443, Asked: "evil.net"}}, nil,
			"api.x.com:443: the server asked for evil.net there (TLS server name); refused"},
		{order.Denied{Act: act("server-name", "api.x.com", "", 443)}, nil,
			"api.x.com:443: the server sent no name there that can be checked (TLS server name); refused"},
		{order.Denied{Act: act("upstream", "api.x.com", "", 443), Errno: "ECONNREFUSED"}, nil,
			"api.x.com:443: connection refused by the host itself"},
		{order.Denied{Act: act("upstream", "api.x.com", "", 0), Errno: "nameserver 192.0.2.1:53: SERVFAIL"}, nil,
			"api.x.com: nameserver 192.0.2.1:53: SERVFAIL, on this machine's side of the sandbox"},
		{order.Denied{Act: act("upstream", "api.x.com", "", 443), Errno: "proxy proxy.example.com:3128: proxy's answer: " +
			"status 407: a way to log in is wanted that is not Basic, which alone is spoken"}, nil,
			"api.x.com:443: proxy proxy.example.com:3128: proxy's answer: status 407: a way to log in is wanted that is not " +
				"Basic, which alone is spoken, on this machine's side of the sandbox"},
		{order.Denied{Act: order.Act{Kind: "limit", Asked: "too many"}}, nil, "too many"},
	} {
		if got := Network(&c.denied, c.ports); got != "network: "+c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Whatever the server chose, a line is printable and no wider than a line may be, and what to type stays whole.
func TestNetworkOfHostileNames(t *testing.T) {
	hostile := strings.Repeat("a\x1b]0;x\x07\n\u202e", 40)
	for _, kind := range []order.DeniedKind{"name", "port", "private", "address", "udp", "server-name", "upstream", "limit"} {
		got := Network(&order.Denied{Act: order.Act{Kind: kind, Host: hostile, Port: 1, Asked: hostile}, Errno: hostile}, nil)
		if utf8.RuneCountInString(got) > Width || strings.ContainsAny(got, "\x1b\n\x07\u202e") || !strings.HasPrefix(got, "network: ") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
