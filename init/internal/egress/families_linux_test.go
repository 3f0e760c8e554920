package egress

import (
	"net/netip"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dns"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A failure of one family is told only where the other one has no address.
func TestFailureOfOneFamily(t *testing.T) {
	found := resolve.Answer{Code: resolve.Found, Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.7")}}
	failed := resolve.Answer{Err: unix.ECONNREFUSED}
	for name, c := range map[string]struct {
		a, aaaa resolve.Answer
		told    int
	}{
		"AAAA is refused":     {found, failed, 0},
		"both are":            {failed, failed, 1},
		"the other is empty":  {resolve.Answer{Code: resolve.NoData}, failed, 1},
		"there is no such":    {resolve.Answer{Code: resolve.NoName}, failed, 1},
		"neither, as control": {found, resolve.Answer{Code: resolve.NoData}, 0},
	} {
		w := newWorld(t, "", onlyAPI())
		until := time.Now().Add(time.Hour)
		w.lookups.kept[resolve.Query{Name: "api.test", Type: dnsmessage.TypeA}] = &lookup{answer: c.a, until: until}
		w.lookups.kept[resolve.Query{Name: "api.test", Type: dnsmessage.TypeAAAA}] = &lookup{answer: c.aaaa, until: until}
		var got dns.Answer
		q := questions{engine: w.Engine}
		if c.aaaa.Code == resolve.Failed {
			q.failed("api.test", dnsmessage.TypeAAAA, c.aaaa.Err)
		} else {
			q.addresses("api.test", dnsmessage.TypeA, func(a dns.Answer) { got = a })
		}
		if len(w.said) != c.told || c.aaaa.Code != resolve.Failed && len(got.Addresses) != 1 {
			t.Errorf("%s: %+v, %+v", name, w.said, got)
		}
	}
}
