package egress_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What is refused and what goes out has the same records, the same counts and the same traffic in both confinements.
func TestSameAccounts(t *testing.T) {
	s := newSite(t, "accounts.example.com").serve(t, 7, echo).serve(t, 21, resetAfter(10)).serveTLS(t, 443)
	stranger, _ := newAddresses(t)
	know(t, "inner.accounts.example.com", name{Addresses: []netip.Addr{netip.MustParseAddr("10.99.1.2")}})
	know(t, "fails.accounts.example.com", name{Fails: true})
	allowed := append(hostPorts(s.Name, 7, 9, 21), s.Name, "inner.accounts.example.com:7", "fails.accounts.example.com:7")
	at := func(port string) string { return s.Name + ":" + port }
	accounts := map[string]string{}
	both(t, func(t *testing.T, in confinement) {
		l := launch{in: in, network: network{Allowed: allowed}}
		var acts []string
		for range 3 {
			acts = append(acts, act("tcp", at("7"), "twelve bytes"), act("half-close", at("7"), "and an end"), act("read", at("21"), "x"),
				act("lookup", "x.accounts.example.com"), act("banner", at("8")), act("banner", stranger.String()+":7"),
				act("lookup", "inner.accounts.example.com"), act("lookup", "fails.accounts.example.com"), act("tcp", at("9"), "x", "tcp4"),
				act("tls", at("443"), s.Name, "whole"), act("tls", at("443"), "evil.example", "whole"), act("packet", "tcp", "192.0.2.53:53", query(s.Name, typeA)))
			for _, r := range in.datagram("UDP", at("123"), "ECONNREFUSED")[:1] {
				acts = append(acts, r.act)
			}
		}
		e := l.acts(t, acts...)
		for i := range e.Egress {
			if e.Egress[i].Port == 443 {
				e.Egress[i].Received = 0 // a signature is some bytes longer than another
			}
		}
		accounts[in.name] = lines(e.Denied) + "counts:\n" + lines(e.Counts) + "traffic:\n" + lines(e.Egress)
	})
	if f, r := accounts[full.name], accounts[reduced.name]; len(accounts) == 2 && f != r {
		t.Errorf("in full:\n%s\nin reduced:\n%s", f, r)
	}
}

// lines has one line for each, in an order of their own.
func lines[T any](all []T) string {
	var each []string
	for _, one := range all {
		each = append(each, fmt.Sprintf("%+v\n", one))
	}
	slices.Sort(each)
	return strings.Join(each, "")
}

// What connections, refusals, questions and sockets without a connection have taken of the launcher's descriptors, the
// launcher has back when they are closed.
func TestDescriptorsComeBack(t *testing.T) { both(t, testDescriptorsComeBack) }

func testDescriptorsComeBack(t *testing.T, in confinement) {
	s := newSite(t, "back.example.com").serve(t, 7, echo).serve(t, 21, resetAfter(10))
	l := launch{in: in, network: network{Allowed: hostPorts(s.Name, 7, 9, 21)}}
	at := func(port string) string { return s.Name + ":" + port }
	work := []string{act("serial", at("7"), "50"), act("crowd", at("7"), "50"), act("drop"), act("streams", at("7"), "10", "100000")}
	for range 20 {
		work = append(work, act("abort", at("7"), "mine"), act("read", at("21"), "x"), act("banner", at("8")), act("banner", at("9")),
			act("lookup", "x.back.example.com"), act("udp-sent", at("9")), act("packet", "tcp", sandbox4+":53", query(s.Name, typeA)))
	}
	work = append(work, act("sockets", "60"), act("wait"), act("shut"))
	run := l.session(t, append([]string{act("tcp", at("7"), "before"), act("wait")}, append(work, act("wait"))...)...)
	run.good()
	before := descriptorsOf(t, run.Shim)
	run.release()
	for range work[:len(work)-2] {
		run.next()
	}
	if n := descriptorsOf(t, run.Shim); in.name == reduced.name && n < before+50 { // the control
		t.Errorf("60 sockets are %d descriptors of the launcher's", n-before)
	}
	run.release()
	run.good()
	testbed.Await(t, "as many descriptors as before", func() bool { return descriptorsOf(t, run.Shim) <= before })
	run.release()
	run.end()
}
