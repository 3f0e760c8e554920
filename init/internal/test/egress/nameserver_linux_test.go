package egress_test

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// A name is what the world's name server knows of one.
type name struct {
	Addresses []netip.Addr
	Alias     string // a CNAME, whose addresses follow in the same answer if it is known
	Targets   []dnsmessage.SRVResource
	TTL       uint32
	Fails     bool            // SERVFAIL
	Silent    bool            // no answer ever
	Lies      bool            // an answer of another id comes first, and one to another question
	Until     <-chan struct{} // when the answer comes; nil: at once
}

// zone is what the name server knows, and what it was asked. A name that it does not know does not exist.
var zone = struct {
	sync.Mutex
	names map[string]name
	asked []string // "a.example.com A udp"
	start sync.Once
}{names: map[string]name{}}

// know makes the name server know a name until the test's end. Names are of one test each, for all share the server.
func know(t *testing.T, text string, n name) {
	t.Helper()
	zone.start.Do(func() {
		if err := world.ServeNames(answer); err != nil {
			t.Fatal(err)
		}
	})
	zone.Lock()
	defer zone.Unlock()
	zone.names[text+"."] = n
	zone.asked = slices.DeleteFunc(zone.asked, func(q string) bool { return isAbout(q, text) }) // by a test before
	t.Cleanup(func() {
		zone.Lock()
		defer zone.Unlock()
		delete(zone.names, text+".")
	})
}

// asked are the questions that the name server was asked about a name and what is below it.
func asked(text string) (all []string) {
	zone.Lock()
	defer zone.Unlock()
	for _, q := range zone.asked {
		if isAbout(q, text) {
			all = append(all, q)
		}
	}
	return all
}

func isAbout(question, text string) bool {
	n, _, _ := strings.Cut(strings.ToLower(question), " ")
	return n == text || strings.HasSuffix(n, "."+text)
}

// answer answers one question.
func answer(packet []byte, by string, reply func([]byte)) {
	var m dnsmessage.Message
	if m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return
	}
	q := m.Questions[0]
	text := strings.ToLower(q.Name.String())
	zone.Lock()
	zone.asked = append(zone.asked, strings.TrimSuffix(q.Name.String(), ".")+" "+strings.TrimPrefix(q.Type.String(), "Type")+" "+by)
	n, known := zone.names[text]
	alias := zone.names[n.Alias+"."]
	zone.Unlock()
	if n.Silent {
		return
	}
	if n.Until != nil {
		<-n.Until
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case n.Fails:
		m.RCode = dnsmessage.RCodeServerFailure
	default:
		m.Answers = n.records(q, alias)
	}
	if n.Lies { // addresses of the machine itself and of its metadata service
		lie := m
		lie.Answers = name{Addresses: []netip.Addr{netip.MustParseAddr("198.51.100.66")}, TTL: 60}.records(q, name{})
		lie.ID++
		reply(packed(lie))
		lie.ID = m.ID
		lie.Questions = []dnsmessage.Question{{Name: dnsmessage.MustNewName("other.example."), Type: q.Type, Class: q.Class}}
		reply(packed(lie))
	}
	b := packed(m)
	if by == "udp" && len(b) > 512 {
		m.Truncated, m.Answers = true, nil
		b = packed(m)
	}
	reply(b)
}

func packed(m dnsmessage.Message) []byte {
	b, err := m.Pack()
	if err != nil {
		panic(err)
	}
	return b
}

// records are the answers to a question about the name.
func (n name) records(q dnsmessage.Question, alias name) (all []dnsmessage.Resource) {
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: n.TTL}
	add := func(kind dnsmessage.Type, body dnsmessage.ResourceBody) {
		header.Type = kind
		all = append(all, dnsmessage.Resource{Header: header, Body: body})
	}
	addresses := n.Addresses
	if n.Alias != "" {
		add(dnsmessage.TypeCNAME, &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(n.Alias + ".")})
		header.Name = dnsmessage.MustNewName(n.Alias + ".")
		addresses = alias.Addresses
	}
	for _, a := range addresses {
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			add(q.Type, &dnsmessage.AResource{A: a.As4()})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			add(q.Type, &dnsmessage.AAAAResource{AAAA: a.As16()})
		}
	}
	if q.Type == dnsmessage.TypeSRV {
		for _, s := range n.Targets {
			add(q.Type, &s)
		}
	}
	if q.Type == dnsmessage.TypeTXT && len(n.Addresses) > 0 {
		add(q.Type, &dnsmessage.TXTResource{TXT: []string{"a channel"}})
	}
	return all
}
