package layers

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// withDomains is a policy of level standard with domains.
func withDomains(allowed, denied []string) policy.Policy {
	return policy.Policy{Level: policy.Standard, Network: policy.Network{AllowedDomains: allowed, DeniedDomains: denied}}
}

func TestEgressSockets(t *testing.T) {
	for _, c := range []struct {
		name            string
		level           policy.Level
		allowed, denied []string
		ipv4            bool // alone
		want            string
	}{
		{name: "none", want: "[refusals of ICMP refusals of ICMPv6]"},
		{name: "none, without IPv6", ipv4: true, want: "[refusals of ICMP]"},
		{name: "one name", allowed: []string{"a.example"},
			want: "[DNS by UDP DNS by TCP port 80 port 443 refusals of TCP refusals of ICMP refusals of TCP by IPv6 refusals of ICMPv6]"},
		{name: "without IPv6", allowed: []string{"a.example:9"}, ipv4: true,
			want: "[DNS by UDP DNS by TCP port 9 refusals of TCP refusals of ICMP]"},
		{name: "ports twice, in no order", level: policy.Strict, allowed: []string{"b.example:9", "localhost:5", "a.example:9"}, ipv4: true,
			want: "[DNS by UDP DNS by TCP port 5 port 9 refusals of TCP refusals of ICMP]"},
		{name: "all denied", allowed: []string{"a.example"}, denied: []string{"a.example"}, want: "[refusals of ICMP refusals of ICMPv6]"},
		{name: "one port denied", allowed: []string{"a.example"}, denied: []string{"a.example:80"}, ipv4: true,
			want: "[DNS by UDP DNS by TCP port 443 refusals of TCP refusals of ICMP]"},
		{name: "denials alone", level: policy.Strict, denied: []string{"a.example"}, want: "[refusals of ICMP refusals of ICMPv6]"},
		{name: "level network", level: policy.LevelNetwork, allowed: []string{"a.example"}, want: "[]"},
		{name: "level privileged", level: policy.Privileged, allowed: []string{"a.example"}, want: "[]"},
	} {
		p := withDomains(c.allowed, c.denied)
		if c.level != "" {
			p.Level = c.level
		}
		if got := fmt.Sprint(EgressSockets(&p, &Machine{IPv6: !c.ipv4})); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// The texts that a report and others have are the addresses that lo gets.
func TestEgressAddresses(t *testing.T) {
	if egress4.String() != EgressIPv4 || egress6.String() != EgressIPv6 {
		t.Error(egress4, egress6)
	}
	if documentation4 != netip.MustParseAddr("192.0.2.1") || documentation6 != netip.MustParseAddr("2001:db8::1") {
		t.Error(documentation4, documentation6)
	}
}

// answeredEgress lays out egressRoutes and answers its calls: each message was obeyed, but for what change does.
func answeredEgress(ipv6 bool, change func(l *Layout, results *program.Results)) (*check, *order.Refusal) {
	req := &Request{Policy: withDomains([]string{"a.example"}, nil), Machine: Machine{IPv6: ipv6}}
	b := emptyBuild(policy.Full, req)
	from := b.Len()
	results := answeredWithZero(b, egressRoutes{new(egressState)})
	for i := from; i < b.Len(); i++ {
		switch b.Called(i) {
		case "recvfrom":
			results.Store(b.Op(i), platform.AckSize)
		case "sendto":
			results.Store(b.Op(i), b.Arg(i, 2))
		}
	}
	change(b.layout, results)
	if f, bad := b.FirstFailure(results, b.Len(), false); bad {
		return nil, b.layout.refusal(results, f)
	}
	c := judge(b.layout, results)
	return c, c.refusal
}

// failed makes an answer of rtnetlink the error of a message of the same length.
func failed(l *Layout, results *program.Results, call string, errno unix.Errno) {
	o := made(l, call)
	results.Store(o, platform.AckSize+24)
	at := program.Addr(l.Arg(o.Index(), 1))
	copy(results.Bytes(at, 20), []byte{60, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, -byte(errno), 0xff, 0xff, 0xff})
}

// A message that the kernel does not obey refuses the launch with the kernel's errno, as a mechanism of the machine.
func TestRoutesRefused(t *testing.T) {
	for _, c := range []struct{ call, path string }{
		{"recvfrom 0", "address " + EgressIPv4}, {"recvfrom 1", "route to " + EgressIPv4}, {"recvfrom 2", "unreachable 224.0.0.0/4"},
		{"recvfrom 3", "unreachable 255.255.255.255/32"}, {"recvfrom 5", "route to " + EgressIPv6}, {"recvfrom 6", "unreachable ff00::/8"},
	} {
		_, refusal := answeredEgress(true, func(l *Layout, r *program.Results) { failed(l, r, c.call, unix.EPERM) })
		if refusal == nil || refusal.Path != c.path || !strings.HasSuffix(refusal.Error(), "operation not permitted") {
			t.Errorf("%s: %v", c.call, refusal)
		}
	}
}

// Where the kernel refuses the address of IPv6 that is an absent fact; no answer at all is none.
func TestWithoutIPv6(t *testing.T) {
	for _, c := range []struct {
		name   string
		ipv6   bool
		change func(l *Layout, r *program.Results)
		reason string
	}{
		{"no socket", false, func(*Layout, *program.Results) {}, "this machine gives no socket of AF_INET6"},
		{"disable_ipv6", true, func(l *Layout, r *program.Results) { failed(l, r, "recvfrom 4", unix.EACCES) }, "RTM_NEWADDR: EACCES"},
		{"no answer", true, func(l *Layout, r *program.Results) { r.Store(made(l, "recvfrom 4"), fails(unix.EAGAIN)) }, ""},
	} {
		k, _ := answeredEgress(c.ipv6, c.change)
		var fact order.Fact
		for _, f := range k.layer.Facts {
			if f.Name == "addresses of IPv6" {
				fact = f
			}
		}
		if fact.Reason != c.reason || (fact.Effect == "") != (c.reason == "") || fact.Want != "::1 "+EgressIPv6 {
			t.Errorf("%s: %+v", c.name, fact)
		}
	}
}

// Without domains the messages are those of the addresses, and an answer that is none refuses.
func TestUnlistedAddresses(t *testing.T) {
	for _, c := range []struct {
		name    string
		ipv6    bool
		ack     uint64
		connect uint64 // to the sandbox's own address
		refused bool
		lacks   string
	}{
		{name: "both", ipv6: true, ack: platform.AckSize},
		{name: "without IPv6", lacks: "address of IPv6"},
		{name: "no answer", ipv6: true, ack: fails(unix.EAGAIN), refused: true},
		{name: "no address of IPv4", ipv6: true, ack: platform.AckSize, connect: fails(unix.ENETUNREACH), refused: true},
	} {
		req := &Request{Policy: withDomains(nil, nil), Machine: Machine{IPv6: c.ipv6}}
		other := answers{"recvfrom 0": platform.AckSize, "connect 0": c.connect}
		if c.ipv6 {
			other["recvfrom 1"] = c.ack
		}
		report, refusal := answered(egressRoutes{new(egressState)}, policy.Full, req, other)
		if got := strings.Join(lacking(report), ","); got != c.lacks || (refusal != nil) != c.refused {
			t.Errorf("%s: lacks %q, %v", c.name, got, refusal)
		}
	}
}

func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		allowed, denied []string
		want            string
	}{
		{[]string{"a.example"}, nil, "A of mcp-sandbox.invalid, TXT of a.example"},
		{[]string{"*.a.example"}, nil, "A of mcp-sandbox.invalid, TXT of mcp-sandbox-proof.a.example"},
		{[]string{"192.0.2.1", "localhost:80", "b.example:5"}, nil, "A of mcp-sandbox.invalid, TXT of b.example"},
		{[]string{"192.0.2.1"}, nil, "A of mcp-sandbox.invalid"},
		{[]string{"mcp-sandbox.invalid"}, nil, "A of not-mcp-sandbox.invalid, TXT of mcp-sandbox.invalid"},
		{[]string{"a.example", "b.example"}, []string{"a.example"}, "A of mcp-sandbox.invalid, TXT of b.example"},
		{[]string{"*.a.example", "b.example"}, []string{"mcp-sandbox-proof.a.example"}, "A of mcp-sandbox.invalid, TXT of b.example"},
	} {
		p := withDomains(c.allowed, c.denied)
		var names []string
		for _, q := range questions(match.New(&p.Network)) {
			names = append(names, q.name)
			var m dnsmessage.Message
			if err := m.Unpack(q.text); err != nil || len(m.Questions) != 1 || !m.RecursionDesired {
				t.Fatalf("%s: %v, %v", q.name, m, err)
			}
			asked := m.Questions[0]
			kind := strings.TrimPrefix(asked.Type.String(), "Type")
			if name := kind + " of " + strings.TrimSuffix(asked.Name.String(), "."); name != q.name || asked.Class != dnsmessage.ClassINET {
				t.Errorf("%s asks for %s", q.name, name)
			}
		}
		if got := strings.Join(names, ", "); got != c.want {
			t.Errorf("%v but %v: %s", c.allowed, c.denied, got)
		}
	}
}

func TestAnswers(t *testing.T) {
	q := question{text: encodeQuestion(2, "a.example", typeTXT)}
	answer := func(change func(b []byte)) []byte {
		b := bytes.Clone(q.text)
		b[2], b[3] = 0x81, 0x80
		change(b)
		return b
	}
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"none", answer(func([]byte) {}), "no records"},
		{"by an authority", answer(func(b []byte) { b[2] |= 4 }), "no records"},
		{"no such name", answer(func(b []byte) { b[3] |= 3 }), "no such name"},
		{"refused", answer(func(b []byte) { b[3] |= 5 }), "code 5"},
		{"a record", append(answer(func(b []byte) { b[7] = 1 }), 0xc0, 12), "an answer of 29 bytes"},
		{"a count of records", answer(func(b []byte) { b[7] = 1 }), "another answer"},
		{"a question", answer(func(b []byte) { b[2] = 1 }), "another answer"},
		{"another id", answer(func(b []byte) { b[0]++ }), "another answer"},
		{"another name", answer(func(b []byte) { b[13]++ }), "another answer"},
		{"nothing", nil, "an answer of 0 bytes"},
	} {
		if got := q.says(c.b); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// A policy with as many ports and entries as it may have fits.
func TestManyPortsFit(t *testing.T) {
	var entries []string
	for i := range 128 {
		entries = append(entries, fmt.Sprintf("%s-%d.example:%d", strings.Repeat("x", 59), i, 1000+i))
	}
	req := &Request{Policy: withDomains(entries, nil), Machine: Machine{IPv6: true}}
	b := emptyBuild(policy.Full, req)
	s := new(egressState)
	for _, r := range []row{egressRoutes{s}, egressSockets{s}, egressAnswers{s}} {
		r.layout(b)
	}
	if b.Full() || b.Len() > program.MaxOps/4 {
		t.Errorf("%d calls", b.Len())
	}
	if n := len(EgressSockets(&req.Policy, &req.Machine)); n != 134 {
		t.Errorf("%d sockets", n)
	}
}
