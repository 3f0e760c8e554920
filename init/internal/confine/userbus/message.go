package userbus

import "errors"

// A kind of message.
const (
	methodCall   = 1
	methodReturn = 2
	errorReply   = 3
	signal       = 4
)

// Header fields that are used here.
const (
	fieldPath        = 1
	fieldInterface   = 2
	fieldMember      = 3
	fieldErrorName   = 4
	fieldReplySerial = 5
	fieldDestination = 6
	fieldSignature   = 8
)

// most is the longest message that is read; the protocol's own limit is 128 MiB.
const most = 1 << 20

const fixed = 16 // the header up to the fields' bytes

// A message is one that was read.
type message struct {
	kind      byte
	reply     uint32 // the serial of the call that this message answers
	member    string
	errorName string
	signature string
	body      []byte
}

var errMessage = errors.New("a message that is none of D-Bus")

// A call is a method call before its body.
type call struct{ destination, path, iface, member, signature string }

// encode writes a whole message. The byte order is little-endian: that of all machines this program runs on,
// and so of the bus.
func (c *call) encode(serial uint32, body []byte) []byte {
	w := &writer{b: []byte{'l', methodCall, 0, 1}}
	w.u32(uint32(len(body)))
	w.u32(serial)
	w.array(8, func() {
		w.field(fieldPath, "o", c.path)
		w.field(fieldInterface, "s", c.iface)
		w.field(fieldMember, "s", c.member)
		w.field(fieldDestination, "s", c.destination)
		if c.signature != "" {
			w.field(fieldSignature, "g", c.signature)
		}
	})
	w.align(8)
	return append(w.b, body...)
}

// length is the length of the message that begins with these bytes.
func length(b []byte) (int, error) {
	if len(b) < fixed || b[0] != 'l' || b[3] != 1 {
		return 0, errMessage
	}
	r := reader{b: b, at: 4}
	body := r.u32()
	r.at = 12
	fields := r.u32()
	if body > most || fields > most {
		return 0, errMessage
	}
	return (fixed+int(fields)+7)&^7 + int(body), nil
}

// decode reads one whole message.
func decode(b []byte) (m message, err error) {
	if n, err := length(b); err != nil || n != len(b) {
		return m, errMessage
	}
	r := &reader{b: b, at: 12}
	m.kind = b[1]
	for end := fixed + int(r.u32()); r.at < end && !r.bad; {
		r.align(8)
		code := r.byte()
		text, number := r.value(r.signature())
		switch code {
		case fieldMember:
			m.member = text
		case fieldErrorName:
			m.errorName = text
		case fieldSignature:
			m.signature = text
		case fieldReplySerial:
			m.reply = number
		}
	}
	r.align(8)
	if r.bad {
		return m, errMessage
	}
	m.body = b[r.at:]
	return m, nil
}

// strings are the strings of a body that has only strings and numbers of 32 bits.
func (m *message) strings() (list []string, ok bool) {
	r := &reader{b: m.body}
	for _, c := range m.signature {
		if text, _ := r.value(string(c)); c != 'u' {
			list = append(list, text)
		}
	}
	return list, !r.bad
}
