package certpem

import "bytes"

// Tags of X.690. With optional an element may be missing.
const (
	integer   = 0x02
	bitString = 0x03
	object    = 0x06
	sequence  = 0x30
	version   = 0xa0
	issuerID  = 0x81
	subjectID = 0x82
	extension = 0xa3
	optional  = 0x100
)

// isCertificate reports whether b is one certificate: all elements down to the algorithms, the times and the key are
// there in their order, each ends where the next begins, and nothing is behind the last.
func isCertificate(b []byte) bool {
	outer, ok := elements(b, sequence)
	if !ok {
		return false
	}
	certificate, ok := elements(outer[0], sequence, sequence, bitString)
	if !ok {
		return false
	}
	signed, ok := elements(certificate[0], version|optional, integer, sequence, sequence, sequence, sequence, sequence,
		issuerID|optional, subjectID|optional, extension|optional)
	if !ok {
		return false
	}
	algorithm, times, key := signed[2], signed[4], signed[6]
	if signed[0] != nil {
		if _, ok := elements(signed[0], integer); !ok {
			return false
		}
	}
	_, _, times, from := element(times)
	_, _, times, until := element(times)
	_, keyed := elements(key, sequence, bitString)
	first, _, _, named := element(algorithm)
	return from && until && len(times) == 0 && keyed && named && first == object &&
		bytes.Equal(algorithm, certificate[1])
}

// elements are the bodies of the elements that b consists of, if these have the tags; nil for a missing one.
func elements(b []byte, tags ...int) (bodies [][]byte, ok bool) {
	bodies = make([][]byte, len(tags))
	for i, want := range tags {
		tag, body, rest, ok := element(b)
		if ok && tag == want&^optional {
			bodies[i], b = body, rest
		} else if want&optional == 0 {
			return nil, false
		}
	}
	return bodies, len(b) == 0
}

// element cuts the first element off: its length is written in as few bytes as possible, three behind the first at
// most.
func element(b []byte) (tag int, body, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}
	tag, n, b := int(b[0]), int(b[1]), b[2:]
	if n >= 0x80 {
		size := n & 0x7f
		if size == 0 || size > 3 || size > len(b) {
			return 0, nil, nil, false
		}
		n = 0
		for _, c := range b[:size] {
			n = n<<8 | int(c)
		}
		if b = b[size:]; n < 0x80 || n>>(8*(size-1)) == 0 {
			return 0, nil, nil, false
		}
	}
	if n > len(b) {
		return 0, nil, nil, false
	}
	return tag, b[:n:n], b[n:], true
}
