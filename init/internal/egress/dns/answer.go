package dns

import (
	"encoding/binary"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// Answer is the answer to a question. Of the records those of the question's type are written, one for each address or
// target.
type Answer struct {
	Code      dnsmessage.RCode
	Addresses []netip.Addr // for A and AAAA
	Targets   []SRV        // for SRV
	Name      string       // for PTR
	TTL       uint32       // of each record, in seconds
	// Blocked adds "Blocked" (RFC 8914, 4.16) for a client that speaks EDNS.
	Blocked bool
}

// SRV is where a service is (RFC 2782).
type SRV struct {
	Priority, Weight, Port uint16
	Target                 string
}

// Extended errors (RFC 8914): the option in an OPT record, and the code in the option. Both happen to be 15.
const (
	optionError  = 15
	errorBlocked = 15
)

// toQuestion is a pointer to the name of the question, behind the header (RFC 1035, 4.1.4).
const toQuestion = 0xc000 | headerSize

// Answer appends a message to b: the question byte for byte, then the records of a. Where they make the message longer
// than q.Size none is written, and the client, by the bit TC, asks again over TCP. The answer is that of a resolver: RA
// is set, AA is not, and neither AD nor CD.
func (q *Question) Answer(b []byte, a Answer) []byte {
	if q.fault != 0 {
		a = Answer{Code: q.fault}
	}
	start := len(b)
	bits := uint16(bitResponse|bitAvailable) | uint16(a.Code)&0xf
	if q.RD {
		bits |= bitDesired
	}
	b = words(b, q.ID, bits, count(q.raw != ""), 0, 0, count(q.EDNS))
	b = append(b, q.raw...)
	records, n := q.records(b, a)
	if len(records)-start+optSize(q.EDNS, a) > q.Size {
		binary.BigEndian.PutUint16(b[start+2:], bits|bitTruncated)
	} else {
		b = records
		binary.BigEndian.PutUint16(b[start+6:], n)
	}
	if q.EDNS {
		b = opt(b, a)
	}
	return b
}

// Frame is Answer for TCP: two bytes of length stand before the message, which may have SizeTCP bytes.
func (q *Question) Frame(b []byte, a Answer) []byte {
	large := *q
	large.Size = SizeTCP
	start := len(b)
	b = large.Answer(append(b, 0, 0), a)
	binary.BigEndian.PutUint16(b[start:], uint16(len(b)-start-2))
	return b
}

// Frames divides bytes that came over TCP: the first message, without its length, and the rest. ok is false until the
// message is complete. The most that a caller need keep is 2 + SizeTCP bytes.
func Frames(buf []byte) (packet, rest []byte, ok bool) {
	if len(buf) < 2 || len(buf)-2 < int(word(buf, 0)) {
		return nil, buf, false
	}
	end := 2 + int(word(buf, 0))
	return buf[2:end:end], buf[end:], true
}

func (q *Question) records(b []byte, a Answer) (_ []byte, n uint16) {
	switch q.Type {
	case dnsmessage.TypeA, dnsmessage.TypeAAAA:
		for _, addr := range a.Addresses {
			if addr.Is4() == (q.Type == dnsmessage.TypeA) && addr.IsValid() {
				b, n = append(q.record(b, a.TTL, addr.BitLen()/8), addr.AsSlice()...), n+1
			}
		}
	case dnsmessage.TypeSRV:
		for _, s := range a.Targets {
			if isName(s.Target) {
				b = q.record(b, a.TTL, 6+len(s.Target)+2)
				b, n = name(words(b, s.Priority, s.Weight, s.Port), s.Target), n+1
			}
		}
	case dnsmessage.TypePTR:
		if isName(a.Name) {
			b, n = name(q.record(b, a.TTL, len(a.Name)+2), a.Name), n+1
		}
	}
	return b, n
}

// record appends the head of a record with size bytes of data.
func (q *Question) record(b []byte, ttl uint32, size int) []byte {
	b = words(b, toQuestion, uint16(q.Type), uint16(dnsmessage.ClassINET))
	return words(binary.BigEndian.AppendUint32(b, ttl), uint16(size))
}

// isName says whether a text can be written as a name: labels of 1 to 63 bytes, 253 bytes in all.
func isName(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > labelSize {
			return false
		}
	}
	return len(text) <= nameSize-2
}

// name appends a name that isName allows, in len(text)+2 bytes. It is not compressed: in SRV it may not be (RFC 2782).
func name(b []byte, text string) []byte {
	for label := range strings.SplitSeq(text, ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	return append(b, 0)
}

// optSize is how many bytes opt appends.
func optSize(edns bool, a Answer) int {
	switch {
	case !edns:
		return 0
	case a.Blocked:
		return 11 + 6
	}
	return 11
}

// opt appends an OPT record (RFC 6891, 6.1.2), of version 0. The time to live holds the upper bits of the code. The DO
// bit of the question is not repeated: no record here is signed.
func opt(b []byte, a Answer) []byte {
	b = append(b, 0)
	b = words(b, uint16(dnsmessage.TypeOPT), SizeEDNS, uint16(a.Code>>4)<<8, 0)
	if !a.Blocked {
		return words(b, 0)
	}
	return words(b, 6, optionError, 2, errorBlocked)
}

func words(b []byte, w ...uint16) []byte {
	for _, w := range w {
		b = binary.BigEndian.AppendUint16(b, w)
	}
	return b
}

func count(there bool) uint16 {
	if there {
		return 1
	}
	return 0
}
