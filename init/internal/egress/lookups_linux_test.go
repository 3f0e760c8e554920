package egress

import (
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A name that is known costs nothing of what a star may have, however often it is looked up.
func TestKnownNameOfStar(t *testing.T) {
	w := newWorld(t, "203.0.113.20 known.wide.test\n203.0.113.21 new.wide.test\n", policy.Network{AllowedDomains: []string{"*.wide.test"}})
	for i := range 300 {
		if a, waits := w.ask("known.wide.test", dnsmessage.TypeA); waits || len(a.Addresses) != 1 {
			t.Fatalf("look-up %d: %+v", i, a)
		}
	}
	if a, waits := w.ask("new.wide.test", dnsmessage.TypeA); waits || len(a.Addresses) != 1 {
		t.Errorf("%+v", a)
	}
}

// The server keeps an answer for a second at least and a minute at most, and the launcher for an hour at most.
func TestSeconds(t *testing.T) {
	for ttl, want := range map[time.Duration]uint32{0: 1, -1: 1, time.Second: 1, 30 * time.Second: 30, time.Hour: 60} {
		if got := seconds(ttl); got != want {
			t.Errorf("%s: %d, want %d", ttl, got, want)
		}
	}
	for ttl, want := range map[time.Duration]time.Duration{0: leastKept, time.Minute: time.Minute, 1 << 31 * time.Second: time.Hour} {
		if got := keeps(&resolve.Answer{Code: resolve.Found, TTL: ttl}); got != want {
			t.Errorf("an answer of %s is kept for %s, want %s", ttl, got, want)
		}
	}
}

// Answers are kept for 30 s at least, failures for one: how often a name is asked for outside says nothing.
func TestKept(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "slow.test"}})
	q := resolve.Query{Name: "api.test", Type: dnsmessage.TypeA}
	w.lookups.get(q, func(resolve.Answer) {})
	if left := time.Until(w.lookups.kept[q].until); left < 25*time.Second {
		t.Errorf("an answer is kept for %s", left)
	}
	slow := resolve.Query{Name: "slow.test", Type: dnsmessage.TypeA}
	told := 0
	w.lookups.get(slow, func(resolve.Answer) { told++ })
	w.lookups.forgetAll(t)
	if x := w.lookups.kept[slow]; x == nil || !x.busy || w.lookups.waiting != 1 {
		t.Fatal("a look-up under way is forgotten")
	}
	w.lookups.resolver.Due(time.Now().Add(time.Hour)) // each nameserver had its time
	w.until("failed", func() bool { w.lookups.resolver.Due(time.Now().Add(time.Hour)); return told == 1 })
	if left := time.Until(w.lookups.kept[slow].until); left > 2*time.Second || w.lookups.waiting != 0 {
		t.Errorf("a failure is kept for %s, %d wait", left, w.lookups.waiting)
	}
}

// forgetAll fills the answers, so that the next one makes room.
func (l *lookups) forgetAll(t *testing.T) {
	t.Helper()
	for i := 0; len(l.kept) < mostKept; i++ {
		l.kept[resolve.Query{Name: strings.Repeat("x", 1+i%60) + string(rune('a'+i/60)), Type: dnsmessage.TypeA}] = &lookup{}
	}
	l.forget(time.Now())
	if len(l.kept) > mostKept/2 {
		t.Errorf("%d are kept", len(l.kept))
	}
}

// A nameserver that does not answer is told as that: the host itself has refused nothing.
func TestNameserverIsTold(t *testing.T) {
	for err, want := range map[error]string{
		unix.ETIMEDOUT: "nameserver 127.0.0.1:53: connection timed out",
		os.NewSyscallError("recv", unix.ECONNREFUSED): "nameserver 127.0.0.1:53: recv: connection refused",
	} {
		said := order.Denied{}
		tells := denials{begun: true, tally: &tally.Tally{Report: func(d *order.Denied) { said = *d }}}
		tells.upstream(target{"api.test", 0}, &resolve.ServerError{Server: netip.MustParseAddrPort("127.0.0.1:53"), Err: err})
		if said.Kind != order.DeniedUpstream || said.Host != "api.test" || said.Errno != want {
			t.Errorf("%+v, want %s", said, want)
		}
	}
}

// A new name makes room among the answers, old or not. Those that are not over stay as long as there is room without.
func TestKeptIsBounded(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	for _, c := range []struct{ over, want int }{{0, 1}, {100, mostKept - 99}, {mostKept, 1}} {
		clear(w.lookups.kept)
		for i := range mostKept {
			until := time.Now().Add(time.Hour)
			if i < c.over {
				until = time.Now().Add(-time.Second)
			}
			w.lookups.kept[resolve.Query{Name: strconv.Itoa(i) + ".test", Type: dnsmessage.TypeA}] = &lookup{until: until}
		}
		w.lookups.get(resolve.Query{Name: "api.test", Type: dnsmessage.TypeA}, func(resolve.Answer) {})
		if got := len(w.lookups.kept); got != c.want {
			t.Errorf("%d were over: %d are kept, want %d", c.over, got, c.want)
		}
	}
}
