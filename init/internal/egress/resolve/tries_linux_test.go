package resolve

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

func silent(dnsmessage.Message, bool, func(dnsmessage.Message)) {}

func TestNothingListens(t *testing.T) {
	s := listen(t, "127.0.0.2", 0, good)
	for _, options := range []string{"", "options use-vc\n"} {
		b := newBench(t, s.port(), options+"nameserver 127.0.0.1\nnameserver 127.0.0.2\n", "")
		if got := b.look(t, name, dnsmessage.TypeA); got.Code != Found {
			t.Errorf("%sgot %+v", options, got)
		}
		b = newBench(t, s.port(), options+"nameserver 127.0.0.1\n", "")
		if got := b.look(t, name, dnsmessage.TypeA); got.Code != Failed || !errors.Is(got.Err, unix.ECONNREFUSED) {
			t.Errorf("%salone: got %+v", options, got)
		}
	}
}

// Tries go round the nameservers, each with the time of resolv.conf.
func TestTimeouts(t *testing.T) {
	one := listen(t, "127.0.0.1", 0, silent)
	listen(t, "127.0.0.2", int(one.port()), silent)
	const conf = "nameserver 127.0.0.1\nnameserver 127.0.0.2\noptions timeout:3 attempts:2\n"
	for _, options := range []string{"", "options use-vc\n"} {
		b := newBench(t, one.port(), conf+options, "")
		var got []Answer
		b.Lookup(Query{name, dnsmessage.TypeA}, func(a Answer) { got = append(got, a) })
		var servers []string
		for len(got) == 0 {
			servers = append(servers, b.live[0].try.server.Addr().String())
			b.Due(b.Next().Add(-1)) // too early
			if passed := b.pass(t); passed != 3*time.Second {
				t.Errorf("a try had %v", passed)
			}
		}
		if all := strings.Join(servers, " "); all != "127.0.0.1 127.0.0.2 127.0.0.1 127.0.0.2" {
			t.Errorf("asked %s", all)
		}
		if want := fmt.Sprintf("nameserver 127.0.0.2:%d: connection timed out", one.port()); got[0].Code != Failed || got[0].Err.Error() != want {
			t.Errorf("got %v, want %s", got[0].Err, want)
		}
	}
	b := newBench(t, one.port(), "nameserver 127.0.0.1\noptions timeout:20 attempts:5\n", "")
	ended, passed := false, time.Duration(0)
	b.Lookup(Query{name, dnsmessage.TypeA}, func(Answer) { ended = true })
	for !ended {
		passed += b.pass(t)
	}
	if passed != wholeLookup {
		t.Errorf("the whole took %v", passed)
	}
}

func TestRotate(t *testing.T) {
	one := listen(t, "127.0.0.1", 0, good)
	two := listen(t, "127.0.0.2", int(one.port()), good)
	b := newBench(t, one.port(), "nameserver 127.0.0.1\nnameserver 127.0.0.2\noptions rotate\n", "")
	for i := range 4 {
		b.look(t, fmt.Sprintf("n%d.example.com", i), dnsmessage.TypeA)
	}
	if one.questions.Load() != 2 || two.questions.Load() != 2 {
		t.Errorf("%d and %d questions", one.questions.Load(), two.questions.Load())
	}
}

func TestTCP(t *testing.T) {
	var overUDP, overTCP atomic.Int32
	h := func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message)) {
		var all []dnsmessage.Resource
		for i := range 200 {
			all = append(all, a(name, 9, fmt.Sprintf("192.0.2.%d", i)))
		}
		m := answered(q, 0, all...)
		if tcp {
			overTCP.Add(1)
		} else {
			overUDP.Add(1)
			m.Truncated, m.Answers = true, all[:3]
		}
		send(m)
	}
	for conf, udp := range map[string]int32{"": 1, "options use-vc\n": 0} {
		overUDP.Store(0)
		overTCP.Store(0)
		s := listen(t, "127.0.0.1", 0, h)
		b := newBench(t, s.port(), conf+"nameserver 127.0.0.1\n", "")
		if got := b.look(t, name, dnsmessage.TypeA); len(got.Addresses) != mostAddresses || overUDP.Load() != udp || overTCP.Load() != 1 {
			t.Errorf("%sgot %+v, %d over UDP, %d over TCP", conf, got, overUDP.Load(), overTCP.Load())
		}
	}
}

// A server that does not know EDNS is asked once more without.
func TestWithoutEDNS(t *testing.T) {
	for _, whole := range []bool{true, false} {
		var with, without atomic.Int32
		s := listen(t, "127.0.0.1", 0, func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message)) {
			if len(q.Additionals) == 0 {
				without.Add(1)
				good(q, tcp, send)
				return
			}
			with.Add(1)
			if o := q.Additionals[0].Header; o.Type != dnsmessage.TypeOPT || o.Class != payload {
				t.Errorf("not the option: %+v", o)
			}
			m := answered(q, dnsmessage.RCodeFormatError)
			if !whole {
				m.Questions = nil
			}
			send(m)
		})
		b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
		if got := b.look(t, name, dnsmessage.TypeA); got.Code != Found || with.Load() != 1 || without.Load() != 1 {
			t.Errorf("got %+v, asked %d times with and %d without", got, with.Load(), without.Load())
		}
	}
}

// One question is asked for many that look up the same; each has its answer.
func TestOneQuestion(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, good)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
	answers := 0
	for range 100 {
		b.Lookup(Query{name, dnsmessage.TypeA}, func(a Answer) {
			if a.Code == Found {
				answers++
			}
		})
	}
	b.serve(t, func() bool { return answers == 100 })
	if n := s.questions.Load(); n != 1 {
		t.Errorf("%d questions", n)
	}
	b.look(t, name, dnsmessage.TypeA) // a later one asks again: nothing is cached
	if n := s.questions.Load(); n != 2 {
		t.Errorf("%d questions", n)
	}
}

// 64 lookups run, 1,024 wait, the next fails at once; all end when the nameserver refuses, and no descriptor stays open.
func TestBounds(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, silent)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\noptions attempts:1 timeout:1\n", "")
	before := descriptors(t)
	ended := map[string]int{}
	for i := range mostLive + mostQueued + 10 {
		b.Lookup(Query{fmt.Sprintf("n%d.example.com", i), dnsmessage.TypeA}, func(a Answer) {
			if a.Code != Failed {
				t.Errorf("got %+v", a)
			}
			ended[a.Err.Error()]++
		})
	}
	if n := descriptors(t) - before; n != mostLive || ended[errBusy.Error()] != 10 || len(ended) != 1 {
		t.Errorf("%d descriptors, ended %v", n, ended)
	}
	passed := time.Duration(0)
	for !b.Next().IsZero() {
		passed += b.pass(t)
	}
	if passed != 17*time.Second || len(ended) != 2 {
		t.Errorf("after %v: %v", passed, ended)
	}
	if n := descriptors(t) - before; n != 0 || len(b.lookups)+len(b.live)+len(b.queue) != 0 {
		t.Errorf("%d descriptors stay open", n)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// done may look up again, and lookups that fail at once do not grow the stack by the queue's length.
func TestLookupInDone(t *testing.T) {
	s := listen(t, "127.0.0.2", 0, good) // nothing listens at 127.0.0.1
	b := newBench(t, s.port(), "nameserver 127.0.0.1\noptions use-vc\n", "")
	left := 200
	var again func(Answer)
	again = func(a Answer) {
		if left--; left > 0 {
			b.Lookup(Query{fmt.Sprintf("n%d.example.com", left), dnsmessage.TypeA}, again)
		}
	}
	again(Answer{})
	b.serve(t, func() bool { return left == 0 })
}

func TestCloseCallsNobody(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, silent)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
	before := descriptors(t)
	b.Lookup(Query{name, dnsmessage.TypeA}, func(Answer) { t.Error("called") })
	if descriptors(t) == before {
		t.Error("no socket was opened")
	}
	b.Close()
	if !b.Next().IsZero() || descriptors(t) != before {
		t.Error("something stays")
	}
}

func TestNamesThatNoMessageHolds(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, good)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
	for _, n := range []string{strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 130) + "com", "a..b", "", "."} {
		if got := b.look(t, n, dnsmessage.TypeA); got.Code != NoName {
			t.Errorf("%q: %+v", n, got)
		}
	}
	if got := b.look(t, name, dnsmessage.TypeTXT); got.Code != Failed || s.questions.Load() != 0 {
		t.Errorf("TXT: %+v, %d questions", got, s.questions.Load())
	}
}
