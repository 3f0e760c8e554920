package dns

import (
	"encoding/binary"
	"errors"

	"golang.org/x/net/dns/dnsmessage"
)

// Sizes of messages in bytes.
const (
	// SizeUDP is the size that a client without EDNS takes (RFC 1035, 4.2.1).
	SizeUDP = 512
	// SizeEDNS is the most that an answer over UDP has, however much the client would take, and the size announced in
	// answers: 1,280 bytes, which every IPv6 link carries, less the headers.
	SizeEDNS = 1232
	// SizeTCP is the most that a message over TCP has.
	SizeTCP = 65535
)

const (
	headerSize = 12
	nameSize   = 255 // of a name on the wire, with its lengths and the root
	labelSize  = 63
	// Additional records of a question are OPT and a signature (TSIG, SIG(0)).
	additionalMax = 2
)

var (
	// ErrDropped says that a packet is too short to have an identifier. There is nothing to answer.
	ErrDropped = errors.New("dns: packet without a header")
	// ErrFormat says that a packet is not one question of class IN. The answer is FORMERR.
	ErrFormat = errors.New("dns: not one question of class IN")
	// ErrVersion says that the client speaks a later EDNS. The answer is BADVERS.
	ErrVersion = errors.New("dns: unknown version of EDNS")
)

// badVersion is BADVERS (RFC 6891, 9), with its upper bits in the OPT record.
const badVersion dnsmessage.RCode = 16

// Bits of the header's second word.
const (
	bitResponse  = 1 << 15
	bitTruncated = 1 << 9
	bitDesired   = 1 << 8 // RD, recursion desired
	bitAvailable = 1 << 7 // RA, recursion available
	maskOpcode   = 0xf << 11
)

// Question is one question, with all that its answer repeats. It keeps no part of the packet.
type Question struct {
	ID uint16
	// Name is in lower case, without a dot at its end. It is "" for the root and for a name in which a byte of a label
	// is none of a-z, A-Z, 0-9, '-' and '_': none of these can be allowed.
	Name  string
	Type  dnsmessage.Type
	Class dnsmessage.Class
	RD    bool // recursion desired
	EDNS  bool // there was an OPT record
	// Size is how many bytes an answer over UDP may have: 512, with EDNS the client's size, between 512 and 1,232.
	Size int

	raw   string           // the question section
	fault dnsmessage.RCode // the code that answers a faulty packet, whatever the Answer
}

// Parse reads a packet. With ErrFormat and ErrVersion the question can be answered, too: Answer then tells that fault,
// whatever else it is given. Everything that is no question gets FORMERR, also another opcode, for which
// NOTIMP would be the other choice, and a reply, which is mostly dropped lest two servers answer each other for ever:
// here the only other side is the sandboxed server, and one code for all is a rule without exceptions.
func Parse(packet []byte) (Question, error) {
	q := Question{Size: SizeUDP}
	if len(packet) < headerSize {
		return q, ErrDropped
	}
	bits := word(packet, 2)
	q.ID, q.RD = word(packet, 0), bits&bitDesired != 0
	ok := bits&(bitResponse|maskOpcode) == 0 && word(packet, 4) == 1 && word(packet, 6) == 0 &&
		word(packet, 8) == 0 && word(packet, 10) <= additionalMax
	if !ok || !q.question(packet) {
		return q.failed(dnsmessage.RCodeFormatError, ErrFormat)
	}
	version, ok := q.additional(packet[headerSize+len(q.raw):], int(word(packet, 10)))
	if !ok || q.Class != dnsmessage.ClassINET {
		return q.failed(dnsmessage.RCodeFormatError, ErrFormat)
	}
	if version != 0 {
		return q.failed(badVersion, ErrVersion)
	}
	return q, nil
}

func (q Question) failed(code dnsmessage.RCode, err error) (Question, error) {
	q.fault = code
	return q, err
}

// question reads the question section.
func (q *Question) question(packet []byte) bool {
	b := packet[headerSize:]
	end := nameEnd(b)
	if end < 0 || len(b) < end+4 {
		return false
	}
	q.raw = string(b[:end+4])
	q.Name = canonical(b[:end])
	q.Type = dnsmessage.Type(word(b, end))
	q.Class = dnsmessage.Class(word(b, end+2))
	return true
}

// nameEnd returns the length of the name that b begins with, or -1. A name of a question cannot be compressed:
// before it there is only the header.
func nameEnd(b []byte) int {
	for i := 0; i < len(b) && i < nameSize; i += 1 + int(b[i]) {
		switch {
		case b[i] == 0:
			return i + 1
		case b[i] > labelSize:
			return -1
		}
	}
	return -1
}

// canonical returns the text of a name that nameEnd has measured.
func canonical(name []byte) string {
	var text [nameSize]byte
	n := 0
	for i := 0; name[i] != 0; i += 1 + int(name[i]) {
		if n > 0 {
			text[n] = '.'
			n++
		}
		for _, c := range name[i+1 : i+1+int(name[i])] {
			switch {
			case c >= 'A' && c <= 'Z':
				c += 'a' - 'A'
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			default:
				return ""
			}
			text[n] = c
			n++
		}
	}
	return string(text[:n])
}

// additional reads the records behind the question for an OPT record, and returns its version.
func (q *Question) additional(b []byte, count int) (version byte, ok bool) {
	for range count {
		end := skipName(b)
		if end < 0 || len(b) < end+10 {
			return 0, false
		}
		size := end + 10 + int(word(b, end+8))
		if len(b) < size {
			return 0, false
		}
		if dnsmessage.Type(word(b, end)) == dnsmessage.TypeOPT {
			if q.EDNS || b[0] != 0 { // at most one, and of the root
				return 0, false
			}
			q.EDNS, version = true, b[end+5]
			q.Size = min(max(int(word(b, end+2)), SizeUDP), SizeEDNS)
		}
		b = b[size:]
	}
	return version, len(b) == 0
}

// skipName is nameEnd for a name that may end in a pointer, which is not followed.
func skipName(b []byte) int {
	for i := 0; i < len(b) && i < nameSize; i += 1 + int(b[i]) {
		switch {
		case b[i] == 0:
			return i + 1
		case b[i] >= 0xc0:
			return i + 2
		case b[i] > labelSize:
			return -1
		}
	}
	return -1
}

func word(b []byte, at int) uint16 { return binary.BigEndian.Uint16(b[at:]) }
