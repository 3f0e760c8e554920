package egress_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"golang.org/x/net/dns/dnsmessage"
)

const (
	typeA    = uint16(dnsmessage.TypeA)
	typeAAAA = uint16(dnsmessage.TypeAAAA)
	typePTR  = uint16(dnsmessage.TypePTR)
	typeTXT  = uint16(dnsmessage.TypeTXT)
	typeSRV  = uint16(dnsmessage.TypeSRV)
	typeNULL = 10
	typeANY  = 255
)

// labels is the wire form of a name.
func labels(all ...string) (b []byte) {
	for _, l := range all {
		b = append(append(b, byte(len(l))), l...)
	}
	return append(b, 0)
}

// asking is one question in a message, with recursion desired.
func asking(name []byte, kind, class uint16) []byte {
	b := []byte{0x4d, 0x43, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	b = append(b, name...)
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, kind), class)
}

// query is a question in hexadecimal digits.
func query(name string, kind uint16) string {
	return hex.EncodeToString(asking(labels(strings.Split(name, ".")...), kind, 1))
}

// answered is the message that a hexadecimal text is.
func answered(t *testing.T, text string) (m dnsmessage.Message) {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err == nil {
		err = m.Unpack(b)
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return m
}

// A question, the code of its answer, and how many records it has.
type questionRow struct {
	name    string
	packet  []byte
	code    dnsmessage.RCode
	records int
}

func questionRows(t *testing.T) []questionRow {
	ok := []string{"ok", "questions", "example", "com"}
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	none, yes, bad := dnsmessage.RCodeNameError, dnsmessage.RCodeSuccess, dnsmessage.RCodeFormatError
	is := func(name string, code dnsmessage.RCode, records int, kind uint16, all ...string) questionRow {
		return questionRow{name, asking(labels(all...), kind, 1), code, records}
	}
	rows := []questionRow{
		is("A", yes, 1, typeA, ok...),
		is("0x20", yes, 1, typeA, "oK", "qUESTIONs", "eXample", "COM"), // attack 6
		is("TXT: a channel", yes, 0, typeTXT, ok...),                   // attack 18
		is("NULL", yes, 0, typeNULL, ok...),
		is("ANY", yes, 0, typeANY, ok...),
		is("MX", yes, 0, 15, ok...),
		is("SVCB", yes, 0, 64, ok...), // attack 25
		is("HTTPS", yes, 0, 65, ok...),
		is("A of another", none, 0, typeA, "other", "questions", "example", "com"),
		is("TXT of another", none, 0, typeTXT, "other", "questions", "example", "com"),
		is("NUL in a label", none, 0, typeA, "evil\x00", "ok", "questions", "example", "com"), // attack 2
		is("NUL at a label's end", none, 0, typeA, "ok\x00", "questions", "example", "com"),
		is("a dot in a label", none, 0, typeA, "ok.questions", "example", "com"),
		is("a dot in a label under a star", none, 0, typeA, "a.b", "below", "questions", "example", "com"),
		is("a blank under a star", none, 0, typeA, "a b", "below", "questions", "example", "com"),
		is("a newline under a star", none, 0, typeA, "a\nmcp-sandbox: b", "below", "questions", "example", "com"), // attack 35
		is("an escape under a star", none, 0, typeA, "\x1b[2J", "below", "questions", "example", "com"),
		is("bidi under a star", none, 0, typeA, "\u202emoc", "below", "questions", "example", "com"),
		is("a zone id", none, 0, typeA, "::ffff:1", "2", "3", "4%x", "below", "questions", "example", "com"), // attack 3
		is("127.1", none, 0, typeA, "127", "1"),                                                              // attack 4
		is("0x7f.1", none, 0, typeA, "0x7f", "1"),
		is("2130706433", none, 0, typeA, "2130706433"),
		is("017700000001", none, 0, typeA, "017700000001"),
		is("a name before", none, 0, typeA, "notok", "questions", "example", "com"), // attack 5
		is("a label before", none, 0, typeA, "not", "ok", "questions", "example", "com"),
		is("a name behind", none, 0, typeA, "ok", "questions", "example", "com", "evil", "example"),
		is("localhost", none, 0, typeA, "localhost"), // attack 17
		is("below localhost", none, 0, typeA, "x", "localhost"),
		is("the engine's name of the host", none, 0, typeA, "host", "docker", "internal"),
		is("the machine's name", none, 0, typeA, strings.Split(machine, ".")...),
		is("long labels", none, 0, typeA, strings.Repeat("a", 63), strings.Repeat("b", 63), strings.Repeat("c", 63), "evil", "example"),
		is("the root", none, 0, typeA),
		is("PTR of a stranger", none, 0, typePTR, "8", "8", "8", "8", "in-addr", "arpa"),
		{"class CHAOS", asking(labels(ok...), typeA, 3), bad, 0},
	}
	two := asking(labels(ok...), typeA, 1)
	two[5] = 2
	two = append(two, two[12:]...)
	status := asking(labels(ok...), typeA, 1)
	status[2] |= 2 << 3
	notWanted := asking(labels(ok...), typeA, 1)
	notWanted[2] = 0
	return append(rows, questionRow{"two questions", two, bad, 0}, questionRow{"another operation", status, bad, 0},
		questionRow{"no recursion desired", notWanted, yes, 1})
}

// What the server asks: the code, the echo of the question, and what of it leaves the machine; attacks 2 to 6, 17, 18,
// 20, 25 and 35.
func TestQuestions(t *testing.T) { both(t, testQuestions) }

func testQuestions(t *testing.T, in confinement) {
	ok := newSite(t, "ok.questions.example.com")
	newSite(t, "other.questions.example.com")
	rows := questionRows(t)
	for _, by := range []string{"udp", "tcp"} {
		var acts []string
		for _, r := range rows {
			acts = append(acts, act("packet", by, sandbox4+":53", hex.EncodeToString(r.packet)))
		}
		l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{ok.Name, "*.below.questions.example.com"}}}
		e := l.acts(t, acts...)
		for i, r := range rows {
			if got := e.Results[i]; got.Error != "" {
				t.Errorf("%s: %s: %s", by, r.name, got.Error)
			} else {
				r.hold(t, got.All[0])
			}
		}
		for _, line := range append(e.lines(), string(bytes.Join(rawLines(e), []byte("\n")))) {
			if strings.ContainsAny(line, "\x1b\x00\u202e") {
				t.Errorf("%s: a name stands unescaped in %q", by, line)
			}
		}
	}
	for _, q := range asked("com") {
		if strings.Contains(q, "questions") && q != ok.Name+" A udp" && q != ok.Name+" AAAA udp" {
			t.Errorf("asked upstream: %q", q)
		}
	}
	for _, n := range []string{"evil.example", "localhost", "internal", "arpa", "127.1", "2130706433"} {
		if q := asked(n); len(q) > 0 {
			t.Errorf("asked upstream: %q", q)
		}
	}
}

func rawLines(e *ended) (all [][]byte) {
	for _, l := range e.Lines {
		all = append(all, l)
	}
	return all
}

// hold reads the header itself: a dot in a label is none that dnsmessage unpacks.
func (r questionRow) hold(t *testing.T, text string) {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil || len(b) < 12 {
		t.Fatalf("%s: %s, %v", r.name, text, err)
	}
	const response, desired, available, authentic = 0x80, 1, 0x80, 0x20 // RFC 1035, 4.1.1; RFC 4035, 3.1.6
	code, records := dnsmessage.RCode(b[3]&15), int(binary.BigEndian.Uint16(b[6:]))
	if !bytes.Equal(b[:2], r.packet[:2]) || b[2]&response == 0 || code != r.code || records != r.records {
		t.Errorf("%s: %x is %v with %d records, want %v with %d", r.name, b, code, records, r.code, r.records)
	}
	if r.code == dnsmessage.RCodeFormatError {
		return
	}
	echoes := bytes.HasPrefix(b[12:], r.packet[12:])
	if !echoes || b[3]&authentic != 0 || b[3]&available == 0 || b[2]&desired != r.packet[2]&desired {
		t.Errorf("%s: %x answers %x", r.name, b, r.packet)
	}
}
