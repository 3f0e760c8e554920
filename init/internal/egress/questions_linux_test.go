package egress

import (
	"encoding/binary"
	"net/netip"
	"testing"

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

// write writes a question with its length in front.
func (c dnsClient) write(fd int, name string) {
	c.t.Helper()
	b := dnsmessage.NewBuilder(make([]byte, 2), dnsmessage.Header{ID: 7, RecursionDesired: true})
	c.must(b.StartQuestions())
	c.must(b.Question(dnsmessage.Question{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}))
	message, err := b.Finish()
	c.must(err)
	binary.BigEndian.PutUint16(message, uint16(len(message)-2))
	c.until("connected", func() bool { _, err := unix.Write(fd, message); return err == nil })
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
		t.Errorf("told: %+v", d)
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
