package match_test

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func number(p uint16) string { return strconv.Itoa(int(p)) }

// dice make a policy and questions of few pieces, so that they meet.
type dice struct{ data []byte }

func (d *dice) roll(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

func (d *dice) name() string {
	var labels []string
	for range 1 + d.roll(3) {
		labels = append(labels, []string{"a", "b", "x-1", "aa", "7", "0x1"}[d.roll(6)])
	}
	return strings.Join(append(labels, []string{"com", "net", "a", "localhost", "7"}[d.roll(5)]), ".")
}

func (d *dice) entry() string {
	port := []string{"", "", ":22", ":80", ":443", ":8080"}[d.roll(6)]
	switch d.roll(8) {
	case 0:
		host := []string{"192.0.2.1", "10.0.0.1", "127.0.0.1", "[2001:db8::1]"}[d.roll(4)]
		return host + port
	case 1:
		return "localhost" + port
	case 2, 3, 4:
		return "*." + d.name() + port
	}
	return d.name() + port
}

// entries returns those that ParseDomain knows, which the policy has checked.
func (d *dice) entries() (texts []string, parsed []policy.Domain) {
	for range d.roll(7) {
		s := d.entry()
		if p, err := policy.ParseDomain(s); err == nil {
			texts, parsed = append(texts, s), append(parsed, p)
		}
	}
	return texts, parsed
}

// compare asks the rules and the model the same, and counts the answers.
func compare(t *testing.T, data []byte, raw string, seen map[string]int) {
	d := &dice{data}
	var n policy.Network
	var m model
	n.AllowedDomains, m.allowed = d.entries()
	n.DeniedDomains, m.denied = d.entries()
	r := match.New(&n)
	fail := func(what string, got, want any) {
		t.Fatalf("allowed %q denied %q: %q is %+v, want %+v", n.AllowedDomains, n.DeniedDomains, what, got, want)
	}
	asked := []string{raw, raw + ".a.com", "localhost"}
	for _, e := range append(m.allowed, m.denied...) {
		asked = append(asked, e.Host, "a."+e.Host, "a"+e.Host, e.Host+".com")
	}
	for _, name := range append(asked, d.name(), d.name(), d.name()) {
		if got, want := r.Name(name), m.name(name); got != want {
			fail(name, got, want)
		} else if got.Star != "" {
			seen["star"]++
		}
		var open []uint16
		for _, p := range ports {
			got, want := r.Port(name, p), m.port(name, p)
			if got != want {
				fail(name+" port "+number(p), got, want)
			}
			if seen["name"+strconv.Itoa(int(got))]++; got == match.Open {
				open = append(open, p)
			}
		}
		if got := r.PortsOf(name); !slices.Equal(got, open) {
			fail("PortsOf "+name, got, open)
		}
	}
	for addr := range leads {
		a, literal := netip.MustParseAddr(addr), false
		for _, p := range ports {
			got, want := r.Address(a, p), m.address(addr, p)
			if got != want {
				fail(addr+" port "+number(p), got, want)
			}
			seen["address"+strconv.Itoa(int(got))]++
			literal = literal || got == match.Open
		}
		if got := r.Literal(a); got != literal {
			fail("Literal "+addr, got, literal)
		}
	}
	for _, p := range ports {
		if got, want := r.Localhost(p), m.localhost(p); got != want {
			fail("localhost port "+number(p), got, want)
		} else if got {
			seen["localhost"]++
		}
	}
	if got, want := r.Ports(), m.listen(); !slices.Equal(got, want) {
		fail("Ports", got, want)
	}
}

// The pieces meet: each answer comes often.
func TestModel(t *testing.T) {
	seen := map[string]int{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		data := make([]byte, 80)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		compare(t, data, "raw", seen)
	}
	for _, answer := range []string{
		"name0", "name1", "name2", "name3", "address0", "address1", "address2", "address3", "localhost", "star",
	} {
		if seen[answer] < 300 {
			t.Errorf("%s came %d times", answer, seen[answer])
		}
	}
	t.Log(seen)
}

func FuzzMatch(f *testing.F) {
	long := strings.Repeat("a.", 126) + "a"
	for _, raw := range []string{"a.com", "A.com.", "evil\x00", "::1%x", "127.1", "0x7f.1", "\u212a.com", long} {
		f.Add([]byte("\x05\x01\x06\x02\x03\x01\x02\x00\x01\x02\x03\x04\x05"), raw)
		f.Add([]byte(strings.Repeat(raw, 9)), raw)
	}
	f.Fuzz(func(t *testing.T, data []byte, raw string) {
		compare(t, data[:min(len(data), 200)], raw[:min(len(raw), 300)], map[string]int{})
	})
}

// What Canonical returns it returns again, and it is what the model calls a name.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"a.com", "A.COM.", "a..", "\u212a", "0X1", "1", "a.\x00.com", strings.Repeat("a", 64)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := &match.Rules{}
		name, ok := r.Canonical(s)
		ascii := []byte(strings.TrimSuffix(s, "."))
		for i, c := range ascii {
			if 'A' <= c && c <= 'Z' {
				ascii[i] |= 0x20
			}
		}
		want := string(ascii)
		if valid := len(want) <= 253 && canonical.MatchString(want) && !likeAddress.MatchString(want); ok != valid {
			t.Fatalf("%q: %v, want %v", s, ok, valid)
		}
		if again, still := r.Canonical(name); ok && (name != want || again != name || !still) {
			t.Fatalf("%q is %q, then %q", s, name, again)
		}
	})
}
