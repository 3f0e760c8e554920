package egress

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A dnsClient asks by TCP.
type dnsClient struct {
	*world
	listener int
}

func (w *world) dnsByTCP() dnsClient {
	var listener int
	w.in(w.inside, func() { listener = w.listener(53) })
	w.t.Cleanup(func() { unix.Close(listener) })
	return dnsClient{w, listener}
}

// dial is a connection that the engine has accepted, or refused.
func (c dnsClient) dial() int {
	c.t.Helper()
	fd := c.connect(netip.MustParseAddr("192.0.2.53"), 53)
	c.t.Cleanup(func() { unix.Close(fd) })
	unix.Poll([]unix.PollFd{{Fd: int32(c.listener), Events: unix.POLLIN}}, 10_000)
	c.asked.accept(c.listener)
	return fd
}

// question is one for addresses, with its length in front.
func (w *world) question(name string) []byte {
	w.t.Helper()
	b := dnsmessage.NewBuilder(make([]byte, 2), dnsmessage.Header{ID: 7, RecursionDesired: true})
	w.must(b.StartQuestions())
	w.must(b.Question(dnsmessage.Question{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}))
	message, err := b.Finish()
	w.must(err)
	binary.BigEndian.PutUint16(message, uint16(len(message)-2))
	return message
}

func (c dnsClient) write(fd int, name string) {
	c.t.Helper()
	c.writeAll(fd, c.question(name))
}

func (c dnsClient) writeAll(fd int, b []byte) {
	c.t.Helper()
	c.until("connected", func() bool { _, err := unix.Write(fd, b); return err == nil })
}

// answer is the code of the next answer, or the error of the read.
func (c dnsClient) answer(fd int) (dnsmessage.RCode, error) {
	c.t.Helper()
	text, err := c.read(fd)
	if err != nil || len(text) < 6 {
		return 0, err
	}
	return dnsmessage.RCode(text[5] & 15), nil
}

// Idle connections hold no place: for a new one that goes which was idle the longest. Those whose question waits stay,
// and where all of them are of this kind a new one is refused, and told.
func TestIdleQuestionsMakeRoom(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test"}})
	c := w.dnsByTCP()
	waits := c.dial()
	c.write(waits, "slow.test.")
	w.until("a question waits", func() bool { return w.asked.waiting == 1 })
	var idle []int
	asks := func(fd int) {
		t.Helper()
		c.write(fd, "other.test.")
		if code, err := c.answer(fd); code != dnsmessage.RCodeNameError || err != nil {
			t.Errorf("%v, %v", code, err)
		}
	}
	for i := range mostLong - 1 {
		if idle = append(idle, c.dial()); i == 0 {
			asks(idle[0])
		}
	}
	asks(idle[1]) // so the third one is idle the longest, once the first one has gone
	for _, longest := range []int{0, 2} {
		fresh := c.dial()
		asks(fresh)
		if text, err := w.read(idle[longest]); text != "" || err != nil || len(w.asked.long) != mostLong {
			t.Errorf("%d, idle the longest: %q, %v; %d are open", longest, text, err, len(w.asked.long))
		}
		idle[longest] = fresh
	}
	for _, fd := range append([]int{waits}, idle...) {
		if _, err := unix.Read(fd, make([]byte, 9)); err != unix.EAGAIN {
			t.Errorf("another is closed: %v", err)
		}
	}
	if d := w.refusal(order.DeniedLimit); d != nil {
		t.Errorf("denials: %+v", d)
	}
	for _, fd := range idle {
		c.write(fd, "slow.test.")
	}
	w.until("all wait", func() bool { return w.asked.waiting == mostLong })
	if text, err := w.read(c.dial()); text != "" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if d := w.refusal(order.DeniedLimit); d == nil || d.Asked != limitQuestions || len(w.asked.long) != mostLong {
		t.Errorf("%+v, %d are open", d, len(w.asked.long))
	}
}

// Questions on one connection are read at once, and each is answered as it was asked, whatever was read since.
func TestQuestionsOfOneConnection(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test"}})
	c := w.dnsByTCP()
	fd := c.dial()
	c.writeAll(fd, append(w.question("slow.test."), w.question("a-name-that-is-longer.test.")...))
	text, err := w.read(fd)
	if err != nil || !strings.Contains(text, "longer") {
		t.Errorf("%q, %v", text, err)
	}
	c.write(fd, "another.test.")
	if text, err = w.read(fd); err != nil || !strings.Contains(text, "another") {
		t.Errorf("%q, %v", text, err)
	}
	w.until("the slow one has failed", func() bool { w.lookups.resolver.Due(time.Now().Add(time.Hour)); return w.asked.waiting == 0 })
	text, err = w.read(fd)
	if want := string(w.question("slow.test.")[14:]); err != nil || len(text) < 14 || text[14:] != want || text[5]&15 != byte(dnsmessage.RCodeServerFailure) {
		t.Errorf("%q, %v, want %q at the end", text, err, want)
	}
}

// What is no question is bounded, and its connection ends.
func TestBytesWithoutQuestion(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	c := w.dnsByTCP()
	fd := c.dial()
	c.writeAll(fd, append([]byte{0xff, 0xff}, make([]byte, longBuffer)...))
	w.until("ended", func() bool { return len(w.asked.long) == 0 })
}

// 1,024 questions wait, and further ones fail at once and are told; each that is answered makes room.
func TestMostQuestions(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test", "api.test"}})
	var codes []dnsmessage.RCode
	ask := func(name string) {
		w.asked.ask(w.question(name)[2:], false, func(answer []byte) { codes = append(codes, dnsmessage.RCode(answer[3]&15)) })
	}
	for range 2 * mostWaiting {
		ask("api.test.")
	}
	if len(codes) != 2*mostWaiting || slices.Max(codes) != dnsmessage.RCodeSuccess || w.asked.waiting != 0 {
		t.Fatalf("%d answers, %d wait", len(codes), w.asked.waiting)
	}
	codes = nil
	for range mostWaiting {
		ask("slow.test.")
	}
	if len(codes) != 0 || w.refusal(order.DeniedLimit) != nil {
		t.Errorf("%v, %+v", codes, w.said)
	}
	ask("api.test.")
	if d := w.refusal(order.DeniedLimit); !slices.Equal(codes, []dnsmessage.RCode{dnsmessage.RCodeServerFailure}) || d == nil || d.Asked != limitQuestions {
		t.Errorf("%v, %+v", codes, d)
	}
}
