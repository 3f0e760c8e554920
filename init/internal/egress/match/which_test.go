package match_test

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestHostOf(t *testing.T) {
	for text, want := range map[string]string{
		"A.Example.com.": "a.example.com", "192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "[2001:db8::1]": "2001:db8::1",
		"2001:DB8::1": "2001:db8::1", "localhost": "localhost", "[192.0.2.1]": "", "127.1": "", "a b": "", "": "", "[": "", "*.a.dev": "",
	} {
		h, ok := match.HostOf(text)
		got := h.Name
		if h.Address.IsValid() {
			got += h.Address.String()
		}
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %t", text, got, ok)
		}
	}
}

// The entries that decide are those by which the rules of all entries answer.
func TestDecide(t *testing.T) {
	entries := strings.Fields("a.dev a.dev:7 *.a.dev:7 *.a.dev b.a.dev:80 192.0.2.1 192.0.2.1:7 10.0.0.1:80 localhost:7 localhost:80 *.b.a.dev:443")
	hosts := strings.Fields("a.dev b.a.dev c.b.a.dev 192.0.2.1 10.0.0.1 64:ff9b::192.0.2.1 localhost 127.0.0.1 ::1 z.dev")
	seen := map[match.Reason]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(5, seed))
		some := func() (list []string) {
			for range r.IntN(5) {
				list = append(list, entries[r.IntN(len(entries))])
			}
			return list
		}
		n := &policy.Network{AllowedDomains: some(), DeniedDomains: some()}
		rules := match.New(n)
		for _, text := range hosts {
			h, _ := match.HostOf(text)
			for _, port := range []uint16{7, 80, 443} {
				got, w := rules.Ask(h, port), match.Decide(n, h, port)
				seen[got]++
				elsewhere := got == match.WrongPort && len(w.Elsewhere) == 0
				if (got == match.Denied) != (len(w.Closes) > 0) || (got == match.Open) != (len(w.Opens) > 0 && len(w.Closes) == 0) || elsewhere {
					t.Fatalf("%+v: %s port %s: %d, %+v", n, text, strconv.Itoa(int(port)), got, w)
				}
				for _, i := range slices.Concat(w.Opens, w.Elsewhere) {
					if len(match.New(&policy.Network{AllowedDomains: n.AllowedDomains[i : i+1]}).Ports()) == 0 {
						t.Errorf("%+v: %d opens nothing", n, i)
					}
				}
			}
		}
	}
	for _, reason := range []match.Reason{match.NotAllowed, match.WrongPort, match.Denied, match.Open} {
		if seen[reason] < 100 {
			t.Errorf("%v", seen)
		}
	}
}

func TestDials(t *testing.T) {
	rules := match.New(&policy.Network{AllowedDomains: []string{"a.dev", "10.0.0.1:7"}, DeniedDomains: []string{"192.0.2.1:80", "192.0.2.2"}})
	for _, c := range []struct {
		address       string
		port          uint16
		alone, opened bool // with allowPrivate
	}{
		{"192.0.2.9", 80, true, true}, {"192.0.2.1", 80, false, false}, {"192.0.2.1", 81, true, true}, {"192.0.2.1", 0, true, true},
		{"192.0.2.2", 0, false, false}, {"10.0.0.1", 7, true, true}, {"10.0.0.1", 0, true, true}, {"10.0.0.1", 80, false, true},
		{"10.0.0.2", 7, false, true}, {"169.254.169.254", 80, false, false}, {"64:ff9b::192.0.2.2", 80, false, false},
	} {
		a := netip.MustParseAddr(c.address)
		for allow, want := range map[bool]bool{false: c.alone, true: c.opened} {
			if rules.Dials(a, c.port, addresses.ClassOf(a, nil), allow) != want {
				t.Errorf("%s port %d, allowPrivate %t: not %t", c.address, c.port, allow, want)
			}
		}
	}
}
