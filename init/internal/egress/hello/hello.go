// Package hello finds the server's name in the first bytes of a TLS connection (RFC 8446, RFC 6066).
//
//	switch result, name, size := hello.Name(peeked); result {
//	case hello.ServerName:
//		allow(name, size)
//	case hello.NeedMore:
//		wait()
//	}
//
// The client chooses every byte. A hello that TLS allows and no known client sends counts as a connection without a
// name: a reader that guessed could be made to see another name than the server at the far end.
package hello

// Limit is how many bytes of a connection are looked at, the headers of the records among them.
const Limit = 16 << 10

// Result is the kind of a connection's first bytes.
type Result uint8

const (
	// NeedMore says that more bytes decide. With Limit bytes it is never the result.
	NeedMore Result = iota
	// NotTLS says that the bytes do not begin a TLS record.
	NotTLS
	// ServerName says that they are a ClientHello with one name.
	ServerName
	// None says that they are TLS without a name that could be relied upon.
	None
)

// Types of records: RFC 8446, 5.1.
const (
	changeCipherSpec = iota + 20
	alert
	handshake
	data
)

const (
	recordHeader  = 5
	recordMax     = 1 << 14 // of a record's content
	clientHello   = 1       // the type of a message, as the next one
	serverHello   = 2
	messageHeader = 4
)

// Name looks at the first bytes of a connection: all that have come yet, so that it can be given the bytes of MSG_PEEK.
// If more bytes come after a result other than NeedMore, the result stays the same.
//
// Bytes that begin with a type of a record, 20 to 23, are TLS, but a name is relied upon in records of versions 3.x
// alone: of the first record Go's servers take any version below 16.0. A hello in the form of SSL 2 (RFC 5246, E.2),
// which OpenSSL's servers take, holds no name. Every other protocol is not TLS. Of a hello with Encrypted Client Hello
// the outer name counts: the inner one is not to be seen.
//
// size is how many bytes the records of a hello with a name take. If they have more than the hello there is no name
// that could be relied upon: that might be a second hello.
func Name(b []byte) (r Result, name string, size int) {
	if len(b) > Limit {
		b = b[:Limit]
	}
	switch {
	case len(b) == 0:
		return NeedMore, "", 0
	case b[0] >= 0x80:
		return old(b), "", 0
	case !isKind(b[0]):
		return NotTLS, "", 0
	case len(b) < 2:
		return NeedMore, "", 0
	}
	message, ok := reassemble(b)
	body, complete, ok := hello(message, ok)
	switch {
	case !ok, !complete && len(b) == Limit:
		return None, "", 0
	case !complete:
		return NeedMore, "", 0
	}
	size, whole := records(b, messageHeader+len(body))
	if name = serverName(body); name != "" && whole {
		return ServerName, name, size
	}
	return None, "", 0
}

// records is the size of the records that hold n bytes of contents. whole is false if they hold more.
func records(b []byte, n int) (size int, whole bool) {
	for n > 0 {
		content := int(b[size+3])<<8 | int(b[size+4])
		size += recordHeader + content
		n -= content
	}
	return size, n == 0
}

// old tells a hello in the form of SSL 2: two bytes of length, the type, and the version that is offered.
func old(b []byte) Result {
	for i, c := range [...]byte{2: clientHello, 3: 3} {
		switch {
		case i >= len(b):
			return NeedMore
		case i >= 2 && b[i] != c:
			return NotTLS
		}
	}
	return None
}

// reassemble joins the contents of the records. ok is false if something else than a handshake record follows them.
func reassemble(b []byte) (message []byte, ok bool) {
	for first := true; len(b) > 0; first = false {
		if b[0] != handshake || len(b) > 1 && b[1] != 3 {
			return message, false
		}
		if len(b) < recordHeader {
			break
		}
		size := int(b[3])<<8 | int(b[4])
		if size == 0 || size > recordMax {
			return message, false
		}
		content := b[recordHeader:min(recordHeader+size, len(b))]
		if first { // a hello in one record, as nearly all, is not copied
			message = content[:len(content):len(content)]
		} else {
			message = append(message, content...)
		}
		b = b[recordHeader+len(content):]
	}
	return message, true
}

// hello returns the body of the first message. Contents behind a complete message are not looked at, so that the result
// does not depend on how much has come; follows says whether a record may still add to the message.
func hello(message []byte, follows bool) (body []byte, complete, ok bool) {
	switch {
	case len(message) > 0 && message[0] != clientHello:
		return nil, false, false
	case len(message) < messageHeader:
		return nil, false, follows
	}
	size := int(message[1])<<16 | int(message[2])<<8 | int(message[3])
	switch {
	case size > Limit: // would not be complete with all that is looked at
		return nil, false, false
	case len(message)-messageHeader < size:
		return nil, false, follows
	}
	return message[messageHeader : messageHeader+size], true, true
}
