package egress

import (
	"errors"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/tap"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Which addresses of a name may be dialled, and the class of those that may not.
func TestVetted(t *testing.T) {
	rules := match.New(&policy.Network{AllowedDomains: []string{"a.test", "10.0.0.7:80", "203.0.113.50:80"}, DeniedDomains: []string{"203.0.113.9"}})
	var h host
	defer h.close()
	h.look()
	h.own = append(h.own, netip.MustParseAddr("203.0.113.50"))
	for _, c := range []struct {
		address string
		port    uint16
		good    bool
		class   addresses.Class
	}{
		{"203.0.113.10", 80, true, 0},
		{"203.0.113.9", 80, false, addresses.Special}, // denied
		{"10.0.0.8", 80, false, addresses.Private},
		{"10.0.0.7", 80, true, 0}, // an entry is that address
		{"10.0.0.7", 81, false, addresses.Private},
		{"203.0.113.50", 80, false, addresses.Own}, // no entry opens an address that the machine has got since
	} {
		a := netip.MustParseAddr(c.address)
		good, bad := h.vetted([]netip.Addr{a}, c.port, rules)
		if slices.Contains(good, a) != c.good || bad != c.class {
			t.Errorf("%s:%d: %v, class %d, want %v, %d", c.address, c.port, good, bad, c.good, c.class)
		}
	}
	h.failed = errors.New("no list of addresses")
	if good, bad := h.vetted([]netip.Addr{netip.MustParseAddr("203.0.113.10")}, 80, rules); len(good) > 0 || bad != addresses.Own {
		t.Errorf("the own addresses are not known: %v, class %d", good, bad)
	}
}

// pureEngine is one without sockets, and what it tells.
func pureEngine(t *testing.T, n policy.Network) (*Engine, *[]order.Denied) {
	t.Helper()
	var said []order.Denied
	e, err := New(Config{Network: n, Tally: &tally.Tally{Report: func(d *order.Denied) { said = append(said, *d) }}})
	if err != nil {
		t.Fatal(err)
	}
	e.Begin()
	return e, &said
}

// What is told of ports that the kernel refused.
func TestRefusedPorts(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "192.0.2.7:22"}, Publish: []string{"8080:3000"}})
	w.handle("api.test", "203.0.113.10")
	for _, c := range []struct {
		of   tap.Refused
		want order.Act
	}{
		{tap.Refused{Addr: netip.MustParseAddr("203.0.113.10"), Port: 25}, order.Act{Kind: order.DeniedPort, Host: "api.test", Port: 25}},
		{tap.Refused{Addr: netip.MustParseAddr("203.0.113.10"), Port: 443, UDP: true}, order.Act{Kind: order.DeniedUDP, Host: "api.test", Port: 443}},
		{tap.Refused{Addr: netip.MustParseAddr("203.0.113.11"), Port: 443, UDP: true}, order.Act{Kind: order.DeniedUDP, Address: "203.0.113.11", Port: 443}},
		{tap.Refused{Addr: netip.MustParseAddr("203.0.113.11"), Port: 25}, order.Act{Kind: order.DeniedAddress, Address: "203.0.113.11", Port: 25}},
		{tap.Refused{Addr: netip.MustParseAddr("192.0.2.7"), Port: 25}, order.Act{Kind: order.DeniedPort, Host: "192.0.2.7", Port: 25}},
		{tap.Refused{Addr: netip.MustParseAddr("127.0.0.1"), Port: 25}, order.Act{Kind: order.DeniedPort, Host: "localhost", Port: 25}},
		{tap.Refused{Addr: netip.MustParseAddr("127.0.0.1"), Port: 3000}, order.Act{}}, // perhaps of the launcher's own connect
		{tap.Refused{Addr: netip.MustParseAddr("127.0.0.1"), Port: 25, UDP: true}, order.Act{}},
		{tap.Refused{Addr: ownIPv4, Port: 25}, order.Act{}},
		{tap.Refused{Addr: ownIPv6, Port: 25, UDP: true}, order.Act{}},
	} {
		before := len(w.said)
		w.refused(c.of)
		var got order.Act
		if len(w.said) > before {
			got = w.said[before].Act
		}
		if got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.of, got, c.want)
		}
	}
}

// Without a list only questions are told, and not that for the machine's own name.
func TestRefusedQuestions(t *testing.T) {
	e, said := pureEngine(t, policy.Network{})
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	question := (&world{t: t}).question
	from := netip.MustParseAddr("198.18.0.1")
	for name, port := range map[string]uint16{machine: 53, "other.test": 5353} {
		e.refused(tap.Refused{Addr: from, Port: port, UDP: true, Payload: question(name + ".")[2:]})
	}
	if len(*said) != 0 {
		t.Errorf("%+v", *said)
	}
	e.refused(tap.Refused{Addr: from, Port: 53, UDP: true, Payload: question("api.test.")[2:]})
	if len(*said) != 1 || (*said)[0].Host != "api.test" {
		t.Errorf("%+v", *said)
	}
}

// What is counted of names and ports is bounded, and so is what the last line has of it.
func TestCountsAreBounded(t *testing.T) {
	told := denials{counts: map[target]*order.Egress{}}
	for i := range 2 * mostTargets {
		c := told.count(target{strings.Repeat("x", 200) + strconv.Itoa(i), 443})
		c.Sent += int64(i)
	}
	bytes := 0
	list := told.list()
	for _, c := range list {
		bytes += len(c.Host)
	}
	if len(told.counts) != mostTargets || len(list) < 10 || bytes > listBytes || !slices.ContainsFunc(list, func(c order.Egress) bool { return c.Sent == mostTargets-1 }) {
		t.Errorf("%d counted, %d listed with %d bytes", len(told.counts), len(list), bytes)
	}
}

// The flag for private addresses is told only where it opens them.
func TestFlagOfPrivate(t *testing.T) {
	for class, want := range map[addresses.Class]string{addresses.Private: "--allow-private", addresses.Own: "", addresses.Special: ""} {
		e, said := pureEngine(t, policy.Network{})
		if e.denials.private("intra.test", class); len(*said) != 1 || (*said)[0].Flag != want {
			t.Errorf("class %d: %+v", class, *said)
		}
	}
}

// What a denial closes is told without a flag, for none would open it.
func TestFlagsOfNames(t *testing.T) {
	e, said := pureEngine(t, policy.Network{AllowedDomains: []string{"a.test", "*.wide.test"},
		DeniedDomains: []string{"a.test", "*.shut.test", "x.wide.test", "late.test:443"}})
	for name, want := range map[string]string{"a.test": "", "b.shut.test": "", "x.wide.test": "",
		"shut.test": "--allow-domain shut.test", "late.test": "--allow-domain late.test", "other.test": "--allow-domain other.test"} {
		*said = nil
		if e.denials.name(name, ""); len(*said) != 1 || (*said)[0].Kind != order.DeniedName || (*said)[0].Host != name || (*said)[0].Flag != want {
			t.Errorf("%s: %+v, want the flag %q", name, *said, want)
		}
	}
}
