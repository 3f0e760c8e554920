package resolve

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// Answers of somebody else's are ignored, and the one behind them is taken.
func TestLiesAreIgnored(t *testing.T) {
	var elsewhere *net.UDPConn
	lies := map[string]func(q dnsmessage.Message) dnsmessage.Message{
		"identifier": func(q dnsmessage.Message) dnsmessage.Message { q.ID++; return q },
		"name": func(q dnsmessage.Message) dnsmessage.Message {
			q.Questions = []dnsmessage.Question{q.Questions[0]}
			q.Questions[0].Name = dnsmessage.MustNewName("evil.example.com.")
			return q
		},
		"type": func(q dnsmessage.Message) dnsmessage.Message {
			q.Questions = []dnsmessage.Question{q.Questions[0]}
			q.Questions[0].Type = dnsmessage.TypeAAAA
			return q
		},
		"class": func(q dnsmessage.Message) dnsmessage.Message {
			q.Questions = []dnsmessage.Question{q.Questions[0]}
			q.Questions[0].Class = dnsmessage.ClassCHAOS
			return q
		},
		"no question": func(q dnsmessage.Message) dnsmessage.Message { q.Questions = nil; return q },
		"two questions": func(q dnsmessage.Message) dnsmessage.Message {
			q.Questions = append(q.Questions, q.Questions[0])
			return q
		},
	}
	for what, lie := range lies {
		t.Run(what, func(t *testing.T) {
			s := listen(t, "127.0.0.1", 0, func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message)) {
				for range 50 { // more than one turn reads
					send(answered(lie(q), 0, a(name, 1, "203.0.113.66")))
				}
				request := q
				request.Response = false
				send(request)
				good(q, tcp, send)
			})
			b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
			if got := b.look(t, name, dnsmessage.TypeA); addresses(got) != "192.0.2.1 192.0.2.2" || s.questions.Load() != 1 {
				t.Errorf("got %+v after %d questions", got, s.questions.Load())
			}
		})
	}
	t.Run("address", func(t *testing.T) {
		var err error
		if elsewhere, err = net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
			t.Fatal(err)
		}
		defer elsewhere.Close()
		var s *server
		to := make(chan netip.AddrPort, 1)
		h := func(q dnsmessage.Message, tcp bool, send func(dnsmessage.Message)) {
			m := answered(q, 0, a(name, 1, "203.0.113.66"))
			if packet, err := m.Pack(); err == nil {
				elsewhere.WriteToUDPAddrPort(packet, <-to)
			}
			good(q, tcp, send)
		}
		s = listen(t, "127.0.0.1", 0, h)
		b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "")
		var got []Answer
		b.Lookup(Query{name, dnsmessage.TypeA}, func(a Answer) { got = append(got, a) })
		own, err := unix.Getsockname(b.live[0].try.fd)
		if err != nil {
			t.Fatal(err)
		}
		in := own.(*unix.SockaddrInet4)
		to <- netip.AddrPortFrom(netip.AddrFrom4(in.Addr), uint16(in.Port))
		b.serve(t, func() bool { return len(got) > 0 })
		if addresses(got[0]) != "192.0.2.1 192.0.2.2" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("alone", func(t *testing.T) { // nothing but lies: the time runs out
		sent := make(chan bool, 9)
		s := listen(t, "127.0.0.1", 0, func(q dnsmessage.Message, _ bool, send func(dnsmessage.Message)) {
			send(answered(lies["identifier"](q), 0, a(name, 1, "203.0.113.66")))
			sent <- true
		})
		b := newBench(t, s.port(), "nameserver 127.0.0.1\noptions attempts:1", "")
		var got []Answer
		b.Lookup(Query{name, dnsmessage.TypeA}, func(a Answer) { got = append(got, a) })
		<-sent
		b.set.Serve()
		if passed := b.pass(t); passed != 5*time.Second || len(got) != 1 || !errors.Is(got[0].Err, unix.ETIMEDOUT) {
			t.Errorf("after %v: %+v", passed, got)
		}
	})
}
