package layers

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// egressAnswers waits for the answers to the questions sent when the sockets had been handed over.
type egressAnswers struct{ state *egressState }

func (r egressAnswers) layout(b *build) {
	if b.hasEgress() {
		r.state.ask.await(b)
	}
}

// egressAsk are the proofs that the shim serves the sockets, and how: a connection to an address that nothing allows is
// accepted and reset, a name that is not allowed does not exist, and of an allowed one a type that is no address has no
// records, so no packet leaves the machine.
type egressAsk struct {
	reset     pending
	to        netip.AddrPort // where the one that is reset goes
	questions []question
}

// pending is a socket that an answer is waited for on.
type pending struct {
	fds program.Addr // two struct pollfd: the socket, and the lifeline
	fd  program.Op
}

// A question is one of the domain name system.
type question struct {
	pending
	name  string // of the fact
	text  []byte // the message
	rcode int    // the demanded answer's
	read  fileRead
}

func (a *egressAsk) layout(b *build, state *egressState) {
	proveSource(b, "source address", documentation4, egress4)
	if b.Machine.IPv6 {
		var none program.Label
		b.Load(state.ack6.Result())
		b.BranchUnless(program.Int(platform.AckSize), &none)
		prove := sourceOf(b, "source address of IPv6", documentation6, egress6)
		b.Bind(&none)
		b.prove(func(c *check) {
			if c.Value(state.ack6) == platform.AckSize { // else the fact about the addresses says why not
				prove(c)
			}
		})
	}
	// Not blocking: where the reset is there before connect(2) returns, connect would take the error away.
	a.reset = open(b, unix.SOCK_STREAM|unix.SOCK_NONBLOCK)
	rules := b.layout.rules
	a.to = netip.AddrPortFrom(deniedAddress(rules), rules.Ports()[0])
	b.Call(sys.Connect(a.reset.fd.Result(), socketAddress(a.to.Addr(), a.to.Port())))
	a.questions = questions(rules)
	for i := range a.questions {
		q := &a.questions[i]
		q.pending = open(b, unix.SOCK_DGRAM)
		b.Ask(sys.Connect(q.fd.Result(), socketAddress(egress4, PortDNS))).For(q.name)
		b.Ask(sys.Send(q.fd.Result(), q.text, 0)).Returns(program.Int(len(q.text))).For(q.name)
	}
}

func (a *egressAsk) await(b *build) {
	a.reset.wait(b)
	recv := sys.Recv(a.reset.fd.Result(), b.Space(8), 8, unix.MSG_DONTWAIT)
	end := b.Ask(recv).Returns(program.Errno(unix.ECONNRESET)).For("a connection to an address that is not allowed")
	b.fact("connect TCP "+a.to.String(), "ECONNRESET", end) // ECONNREFUSED if no listener had accepted; tcp(7)
	for i := range a.questions {
		q := &a.questions[i]
		q.wait(b)
		at := b.Space(512)
		q.read = fileRead{b.Ask(sys.Recv(q.fd.Result(), at, 512, unix.MSG_DONTWAIT)).For(q.name), at}
		b.prove(func(c *check) { c.fact(q.name, answerOf(q.rcode), q.says(c.bytesOf(q.read))) })
	}
}

// open opens a socket of IPv4 that an answer is waited for on.
func open(b *build, kind int) pending {
	p := pending{fds: b.Data(program.Raw(pollin<<32, fdLifeline))} // of the lifeline no events: POLLHUP alone
	p.fd = b.Do(sys.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)).StoreAt(p.fds)
	return p
}

// wait waits for an answer, or for the end of the shim.
func (p *pending) wait(b *build) { b.Call(sys.Ppoll(program.Ref(p.fds), 2, program.Int(0))) }

func proveSource(b *build, name string, to, want netip.Addr) { b.prove(sourceOf(b, name, to, want)) }

// sourceOf connects a UDP socket, which sends nothing, and compares the address that its packets would come from.
func sourceOf(b *build, name string, to, want netip.Addr) func(*check) {
	address := socketAddress(to, 9)
	sock := b.Do(sys.Socket(int(address[0]), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))
	b.Ask(sys.Connect(sock.Result(), address)).For(name)
	at := b.Space(len(address))
	get := b.Ask(sys.Getsockname(sock.Result(), at, byte(len(address)))).For(name)
	return func(c *check) {
		own := c.Bytes(at, len(address))
		got := c.result(get)
		if got == "0" {
			from := socketAddress(want, binary.BigEndian.Uint16(own[2:])) // any port
			got = choose(bytes.Equal(own, from), want.String(), "another one")
		}
		c.fact(name, want.String(), got)
	}
}

// deniedAddress is one that no entry allows.
func deniedAddress(rules *match.Rules) netip.Addr {
	a := documentation4
	for rules.Literal(a) {
		a = a.Next()
	}
	return a
}

// Types and codes of RFC 1035.
const (
	typeA, typeTXT    = 1, 16
	noError, nxDomain = 0, 3
)

// questions are the ones about a name that is not allowed, and one that is, if the policy has a name.
func questions(rules *match.Rules) []question {
	none := "mcp-sandbox.invalid"
	for rules.Name(none).Allowed {
		none = "not-" + none
	}
	all := []question{{name: "A of " + none, text: encodeQuestion(1, none, typeA), rcode: nxDomain}}
	for _, entry := range rules.Facts() {
		name := entry.Text
		if below, ok := strings.CutPrefix(name, "*"); ok {
			name = "mcp-sandbox-proof" + below
		}
		if name, ok := rules.Canonical(name); ok && rules.Name(name).Allowed {
			return append(all, question{name: "TXT of " + name, text: encodeQuestion(2, name, typeTXT), rcode: noError})
		}
	}
	return all
}

// encodeQuestion is a message with one question of class IN; RFC 1035, section 4.
func encodeQuestion(id uint16, name string, kind uint16) []byte {
	b := binary.BigEndian.AppendUint16(make([]byte, 0, 18+len(name)), id)
	b = append(b, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0) // RD, one question
	for label := range strings.SplitSeq(name, ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	b = binary.BigEndian.AppendUint16(append(b, 0), kind)
	return append(b, 0, 1)
}

// says is the fact of an answer: its code if it has no record and the question as it was asked.
func (q *question) says(b []byte) string {
	const answers, authoritative = 0x80, 0x04
	if len(b) != len(q.text) {
		return "an answer of " + strconv.Itoa(len(b)) + " bytes"
	}
	want := slices.Clone(q.text)
	want[2] |= answers
	want[3] = 0x80 | b[3]&15 // RA
	got := slices.Clone(b)
	got[2] &^= authoritative // which says nothing
	return choose(bytes.Equal(got, want), answerOf(int(b[3]&15)), "another answer")
}

func answerOf(rcode int) string {
	switch rcode {
	case noError:
		return "no records"
	case nxDomain:
		return "no such name"
	}
	return "code " + strconv.Itoa(rcode)
}
