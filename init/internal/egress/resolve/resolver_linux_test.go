package resolve

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

const name = "api.example.com"

// good has two addresses for each name.
func good(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
	n := strings.TrimSuffix(q.Questions[0].Name.String(), ".")
	switch q.Questions[0].Type {
	case dnsmessage.TypeA:
		send(answered(q, 0, a(n, 300, "192.0.2.1"), a(n, 60, "192.0.2.2")))
	case dnsmessage.TypeAAAA:
		send(answered(q, 0, a(n, 300, "2001:db8::1")))
	case dnsmessage.TypeSRV:
		send(answered(q, 0, dnsmessage.Resource{Header: header(n, 300), Body: &dnsmessage.SRVResource{
			Priority: 1, Weight: 2, Port: 27017, Target: dnsmessage.MustNewName("DB.example.com.")}}))
	}
}

func code(c dnsmessage.RCode) handler {
	return func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) { send(answered(q, c)) }
}

func addresses(a Answer) string {
	var all []string
	for _, a := range a.Addresses {
		all = append(all, a.String())
	}
	return strings.Join(all, " ")
}

func TestAnswers(t *testing.T) {
	with := func(records ...dnsmessage.Resource) handler {
		return func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) { send(answered(q, 0, records...)) }
	}
	var thirty, hundred, chain []dnsmessage.Resource
	for i := range 100 {
		hundred = append(hundred, a(name, 9, fmt.Sprintf("192.0.2.%d", i)))
	}
	thirty = hundred[:30]
	chain = append(chain, cname(name, 50, "n1.example.com"))
	for i := 1; i < 10; i++ {
		chain = append(chain, cname(fmt.Sprintf("n%d.example.com", i), 50, fmt.Sprintf("n%d.example.com", i+1)))
	}
	for _, c := range []struct {
		what   string
		h      handler
		kind   dnsmessage.Type
		code   Code
		has    string
		number int
		ttl    time.Duration
	}{
		{"A", good, dnsmessage.TypeA, Found, "192.0.2.1 192.0.2.2", 2, 60 * time.Second},
		{"AAAA", good, dnsmessage.TypeAAAA, Found, "2001:db8::1", 1, 300 * time.Second},
		{"thirty", with(thirty...), dnsmessage.TypeA, Found, "192.0.2.29", 30, 9 * time.Second},
		{"a hundred", with(hundred...), dnsmessage.TypeA, Found, "192.0.2.63", 64, 9 * time.Second},
		{"no name", code(dnsmessage.RCodeNameError), dnsmessage.TypeA, NoName, "", 0, 0},
		{"no data", code(dnsmessage.RCodeSuccess), dnsmessage.TypeA, NoData, "", 0, 0},
		{"SOA", func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
			m := answered(q, dnsmessage.RCodeNameError)
			m.Authorities = []dnsmessage.Resource{soa("example.com", 900, 20)}
			send(m)
		}, dnsmessage.TypeA, NoName, "", 0, 20 * time.Second},
		{"other owner", with(a("other.example.com", 9, "192.0.2.1")), dnsmessage.TypeA, NoData, "", 0, 0},
		{"case", with(a("API.Example.COM", 9, "192.0.2.1")), dnsmessage.TypeA, Found, "192.0.2.1", 1, 9 * time.Second},
		{"chain", with(append(chain[:3:3], a("n3.example.com", 70, "192.0.2.1"))...), dnsmessage.TypeA, Found, "192.0.2.1", 1, 50 * time.Second},
		{"chain backwards", with(a("n2.example.com", 7, "192.0.2.1"), chain[1], chain[0]), dnsmessage.TypeA, Found, "192.0.2.1", 1, 7 * time.Second},
		{"long chain", with(append(chain[:8:8], a("n8.example.com", 7, "192.0.2.1"))...), dnsmessage.TypeA, Found, "192.0.2.1", 1, 7 * time.Second},
		{"too long a chain", with(append(chain[:9:9], a("n9.example.com", 7, "192.0.2.1"))...), dnsmessage.TypeA, Failed, "", 0, 0},
		{"loop", with(cname(name, 5, "x.example.com"), cname("x.example.com", 5, name)), dnsmessage.TypeA, Failed, "", 0, 0},
		{"itself", with(cname(name, 5, name)), dnsmessage.TypeA, Failed, "", 0, 0},
		{"chain in pieces", func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
			if n := q.Questions[0].Name.String(); n == "n8.example.com." {
				send(answered(q, 0, a("n8.example.com", 70, "192.0.2.1")))
			} else {
				send(answered(q, 0, chain[slices.IndexFunc(chain, func(r dnsmessage.Resource) bool { return r.Header.Name.String() == n })]))
			}
		}, dnsmessage.TypeA, Found, "192.0.2.1", 1, 50 * time.Second},
		{"chain in too many pieces", func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
			n := strings.TrimSuffix(q.Questions[0].Name.String(), ".")
			send(answered(q, 0, cname(n, 5, "x."+n)))
		}, dnsmessage.TypeA, Failed, "", 0, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := listen(t, "127.0.0.1", 0, c.h)
			b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
			got := b.look(t, name, c.kind)
			if got.Code != c.code || len(got.Addresses) != c.number || !strings.Contains(addresses(got), c.has) ||
				got.TTL != c.ttl || (got.Code == Failed) != (got.Err != nil) {
				t.Errorf("got %+v after %d questions", got, s.questions.Load())
			}
			if n := s.questions.Load(); n > 9 {
				t.Errorf("%d questions were asked", n)
			}
		})
	}
}

func TestSRV(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, good)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "127.0.0.1 _x._tcp."+name)
	got := b.look(t, "_x._tcp."+name, dnsmessage.TypeSRV)
	if want := []SRV{{1, 2, 27017, "db.example.com"}}; got.Code != Found || !slices.Equal(got.Targets, want) {
		t.Errorf("got %+v", got)
	}
}

// A SOA record beside a CNAME says that the chain's end has nothing: it is not asked for again.
func TestNoDataOfAChainIsOneQuestion(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
		m := answered(q, 0, cname(name, 40, "x.example.com"))
		m.Authorities = []dnsmessage.Resource{soa("example.com", 900, 30)}
		send(m)
	})
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
	if got := b.look(t, name, dnsmessage.TypeAAAA); got.Code != NoData || got.TTL != 30*time.Second || s.questions.Load() != 1 {
		t.Errorf("got %+v after %d questions", got, s.questions.Load())
	}
}

func TestSecondServer(t *testing.T) {
	for what, first := range map[string]handler{
		"SERVFAIL": code(dnsmessage.RCodeServerFailure),
		"REFUSED":  code(dnsmessage.RCodeRefused),
		"FORMERR":  code(dnsmessage.RCodeFormatError),
		"unknown":  code(11),
		"referral": func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
			m := answered(q, 0)
			m.RecursionAvailable = false
			send(m)
		},
		"closes": func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message)) {
			if m := answered(q, 0); !tcp {
				m.Truncated = true
				send(m)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			bad := listen(t, "127.0.0.1", 0, first)
			listen(t, "127.0.0.2", int(bad.port()), good)
			b := newBench(t, bad.port(), "nameserver 127.0.0.1\nnameserver 127.0.0.2\n", "")
			if got := b.look(t, name, dnsmessage.TypeA); got.Code != Found || bad.questions.Load() == 0 {
				t.Errorf("got %+v", got)
			}
		})
		t.Run(what+" alone", func(t *testing.T) {
			bad := listen(t, "127.0.0.1", 0, first)
			b := newBench(t, bad.port(), "nameserver 127.0.0.1\n", "")
			got := b.look(t, name, dnsmessage.TypeA)
			if got.Code != Failed || got.Err == nil || !strings.Contains(got.Err.Error(), fmt.Sprintf("nameserver 127.0.0.1:%d: ", bad.port())) {
				t.Errorf("got %+v", got)
			}
		})
	}
}
