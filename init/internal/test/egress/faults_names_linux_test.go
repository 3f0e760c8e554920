package egress_test

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// atNameServer has resolv.conf(5) name another server until the test's end. The test must not be parallel to others.
func atNameServer(t *testing.T, server string) {
	t.Helper()
	resolvConf(t, world.NameServer, server)
}

// resolvConf replaces words of resolv.conf(5) until the test's end. The test must not be parallel to others.
func resolvConf(t *testing.T, old, words string) {
	t.Helper()
	const path = "/etc/resolv.conf"
	was, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.ReplaceAll(string(was), old, words)), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(path, was, 0); err != nil {
			t.Fatal(err)
		}
	})
}

// Where no name server is, names fail at once and are told as the host's fault; what needs none goes on.
func TestNoNameServer(t *testing.T) { both(t, testNoNameServer) }

func testNoNameServer(t *testing.T, in confinement) {
	atNameServer(t, "203.0.113.54")
	s := &site{Name: world.InFile}
	s.listen(t, world.FileAt+":7", whoami("file"))
	l := launch{in: in, network: network{Allowed: []string{world.InFile + ":7", "down.example.com:7"}}}
	file := row{"a name of the hosts file", act("banner", world.InFile+":7"), "220 file", ""}
	alone := l.rows(t, file) // the yardstick
	e := l.rows(t, file,
		row{"any other", act("lookup", "down.example.com"), "", "SERVFAIL"})
	e.told(t, denied{Kind: "upstream", Host: "down.example.com"})
	if wall := e.Exited.WallSeconds; wall > 10*alone.Exited.WallSeconds+5 {
		t.Errorf("took %g s, and %g s without the other name", wall, alone.Exited.WallSeconds)
	}
}

// A name server that comes late, one that lies and one that says too much: the right answer, or none, and all others.
func TestBadNameServer(t *testing.T) { beside(t, testBadNameServer) }

func testBadNameServer(t *testing.T, in confinement) {
	below := "." + in.name + ".bad-server.example.com"
	near := newSite(t, "near"+below).serve(t, 7, whoami("near"))
	late := newSite(t, "late"+below).serve(t, 7, whoami("late"))
	liar := newSite(t, "liar"+below).serve(t, 7, whoami("liar"))
	much := newSite(t, "much"+below).serve(t, 7, whoami("much"))
	until := make(chan struct{})
	know(t, late.Name, name{Addresses: late.addresses(), Until: until})
	know(t, liar.Name, name{Addresses: liar.addresses(), Lies: true})
	know(t, "mute"+below, name{Silent: true})
	know(t, "dumb"+below, name{Silent: true})
	know(t, "gate"+below, name{Addresses: near.addresses()})
	all := much.addresses()[:1]
	for i := range 3500 { // answers of 56 kB over TCP
		all = append(all, netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}))
	}
	know(t, much.Name, name{Addresses: all})
	l := launch{in: in, network: network{Allowed: []string{"*" + below + ":7"}}}
	run := l.session(t, act("banner", near.Name+":7"), act("wait"), act("banner", liar.Name+":7"), act("banner", much.Name+":7"),
		act("banner", "gate"+below+":7"), act("banner", late.Name+":7"), act("lookup", "mute"+below),
		act("udp-to", sandbox4+":53", query("dumb"+below, typeA)), act("banner", near.Name+":7"))
	run.good()
	before := run.rss()
	run.release()
	for _, want := range []string{"220 liar", "220 much", "220 near"} {
		if r := run.most(want, before); r.Text != want {
			t.Errorf("%s: want %q", r, want)
		}
	}
	testbed.Await(t, "the question about the late name", func() bool { return len(asked(late.Name)) > 0 })
	close(until)
	if r := run.good(); r.Text != "220 late" {
		t.Errorf("%s", r)
	}
	run.idle("a name server that does not answer")
	if r := run.next(); !oneOf(r.Error, in.mute) {
		t.Errorf("%s", r)
	}
	if r := run.good(); r.Count == 0 { // SERVFAIL, to a question by sendto(2)
		t.Errorf("%s", r)
	}
	run.good()
	run.end().told(t, denied{Kind: "upstream", Host: "mute" + below})
}

// 10,000 names that are not known, and as many below a star, leave nothing in the launcher that they cost.
func TestManyNames(t *testing.T) { both(t, testManyNames) }

func testManyNames(t *testing.T, in confinement) {
	const many = 10000
	s := newSite(t, "many-names.example.com").serve(t, 7, whoami("names"))
	for i := range many {
		know(t, fmt.Sprintf("n%d-of-a-flood-of-names.below.many-names.example.com", i), name{Addresses: s.addresses(), TTL: 60})
	}
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7", "*.below.many-names.example.com:7", "*.nowhere.many-names.example.com:7"}}}
	n := strconv.Itoa(many)
	run := l.session(t, act("banner", s.Name+":7"), act("wait"), act("flood", "unknown.many-names.example.com", n),
		act("flood", "nowhere.many-names.example.com", n), act("flood", "below.many-names.example.com", n), act("banner", s.Name+":7"))
	run.good()
	before := run.rss()
	run.release()
	var codes [][]string // NAME COUNT
	for _, kind := range []string{"names that no list has", "names that do not exist", "names below a star"} {
		r := run.most("10,000 "+kind, before) // 32 questions at once: with a timer each it would be minutes
		if r.Count != many {
			t.Errorf("%s: %s", kind, r)
		}
		codes = append(codes, r.All)
	}
	t.Logf("answers: %v", codes)
	for i, want := range []string{"NXDOMAIN 10000", "NXDOMAIN", "NOERROR"} { // a hundred at once, then one a second
		for _, got := range codes[i] {
			code, count, _ := strings.Cut(got, " ")
			if n := must(t, count); i == 0 && got != want || i > 0 && (code == want) != (n >= 100 && n < 1000) || i > 0 && code != want && code != "SERVFAIL" {
				t.Errorf("answers of kind %d: %s", i, got)
			}
		}
	}
	run.good()
	run.end()
}

// A hundred names whose name server does not answer hold up no other name for long.
func TestSilentNames(t *testing.T) { both(t, testSilentNames) }

func testSilentNames(t *testing.T, in confinement) {
	s := newSite(t, "near.silent-names.example.com").serve(t, 7, whoami("near"))
	for i := range 100 {
		know(t, fmt.Sprintf("n%d.mute.silent-names.example.com", i), name{Silent: true})
	}
	l := launch{in: in, network: network{Allowed: []string{"*.mute.silent-names.example.com:7", s.Name + ":7"}}}
	near := act("banner", s.Name+":7")
	run := l.session(t, act("wait"), near, act("pester", "mute.silent-names.example.com", "100"), act("wait"), near)
	took := func() time.Duration {
		begun := time.Now()
		run.release()
		if r := run.next(); r.Text != "220 near" {
			t.Errorf("%s", r)
		}
		return time.Since(begun)
	}
	alone := took() // the yardstick
	if r := run.good(); r.Count != 100 {
		t.Errorf("%s", r)
	}
	if beside := took(); beside > 10*alone+5*time.Second {
		t.Errorf("%s, and %s alone", beside, alone)
	}
	run.end()
}
