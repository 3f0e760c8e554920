package egress_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Questions side by side are 64 at most; more of them are answered at once, and none is lost.
func TestQuestionsAtOnce(t *testing.T) { both(t, testQuestionsAtOnce) }

func testQuestionsAtOnce(t *testing.T, in confinement) {
	const most, all = 64, 80
	until := make(chan struct{})
	s := newSite(t, "crowd-of-names.example.com").serve(t, 80, whoami("crowd"))
	var packets []string
	l := launch{in: in, network: network{Allowed: []string{s.Name}}}
	for i := range all {
		n := fmt.Sprintf("n%d.%s", i, s.Name)
		know(t, n, name{Addresses: []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})}, Until: until})
		l.Allowed = append(l.Allowed, n)
		packets = append(packets, query(n, typeA))
	}
	go func() {
		defer close(until)
		testbed.Await(t, "64 questions upstream", func() bool { return len(asked(s.Name)) >= most })
	}()
	e := l.rows(t, row{"so many questions", act(append([]string{"ask", strconv.Itoa(all)}, packets...)...), "", ""},
		row{"one after them", act("banner", s.Name+":80"), "220 crowd", ""})
	if r := e.Results[0]; r.Count < most || r.Count+int64(len(r.All)) != all {
		t.Errorf("of %d questions %d were answered with an address, others with the codes %v", all, r.Count, r.All)
	}
}

// Attack 32: idle connections to the name server, streams that nobody reads, ClientHellos that do not go on, resets: what
// is allowed still goes, and the launcher stays small.
func TestExhaustion(t *testing.T) { beside(t, testExhaustion) }

func testExhaustion(t *testing.T, in confinement) {
	s := newSite(t, in.name+".exhaust.example.com").serve(t, 7, echo).serve(t, 19, source).serveTLS(t, 443)
	l := launch{in: in, network: network{Allowed: append(hostPorts(s.Name, 7, 19), s.Name)}}
	at := func(port string) string { return s.Name + ":" + port }
	var names []string
	for i := range 800 {
		names = append(names, query(fmt.Sprintf("n%d.evil.example", i), typeA))
	}
	acts := []string{
		act("tcp", at("7"), "first"),
		act(append([]string{"packet", "tcp", sandbox4 + ":53"}, names...)...),
		act("serial", at("7"), "200"),
		act("idle", sandbox4+":53", "300", "\x00"),
		act("idle", at("19"), "60", "100000000\n"),
		act("idle", at("443"), "60", "\x16\x03\x01"),
		act("tcp", at("7"), "still"),
		act("lookup", "evil.example"),
		act("lookup", s.Name),
		act("stop"),
	}
	for range 50 {
		acts = append(acts[:len(acts)-1], act("abort", at("7"), "reset"), act("stop"))
	}
	know(t, s.Name, name{Addresses: s.addresses(), TTL: 3600}) // asked for once, not in the middle of the load again
	run := l.session(t, acts...)
	for i := range len(acts) - 1 {
		switch r := run.next(); {
		case i == 7 && r.Error != "NXDOMAIN", i == 6 && r.Text != "still", i == 8 && len(r.All) == 0:
			t.Errorf("act %d: %s", i, r)
		case i == 1 && in.unread != "":
			if !oneOf(r.Error, in.unread) {
				t.Errorf("act %d: %v: %s, want %s", i, r.Act[:1], r.Error, in.unread)
			}
		case i != 7 && i != 3 && r.Error != "": // some of the idle connections to the name server may be refused
			t.Errorf("act %d: %v: %s", i, r.Act[:1], r.Error)
		}
	}
	testbed.Await(t, "the last connection", func() bool { return s.Accepted.Load() >= 1+200+60+60+1+50 })
	testbed.Await(t, "few connections", func() bool { return descriptorsOf(t, run.Shim) < 3*(60+60)+300+64 })
	const most = 64 << 10
	if kilobytes := peak(t, run.Shim); kilobytes > most {
		t.Errorf("the launcher has taken %d kB, more than %d", kilobytes, most)
	}
	run.end()
}

// descriptorsOf counts those of a process.
func descriptorsOf(t *testing.T, pid int) int {
	t.Helper()
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Error(err)
	}
	return len(all)
}

// peak is the most memory that a process has had, in kB; proc_pid_status(5).
func peak(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	line, _, _ := strings.Cut(rest, "kB")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return n
}
