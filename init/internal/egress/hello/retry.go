package hello

// This file: a server that wants a second hello (RFC 8446, 4.1.4). A client brings that about by a hello without a key,
// and has to repeat the name. Servers do not compare the two: those made with OpenSSL take the second name.

// An Answer is the kind of a server's first bytes, those that answer a hello.
type Answer uint8

const (
	// Unknown says that more bytes decide.
	Unknown Answer = iota
	// Final says that no second hello is wanted: a server that gets one refuses it.
	Final
	// Retry says that a second hello is wanted.
	Retry
)

// retryRandom is the random of a ServerHello that is a HelloRetryRequest (RFC 8446, 4.1.3).
const retryRandom = "\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91" +
	"\xc2\xa2\x11\x16\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c"

// AnswerOf looks at a server's first bytes, all that have come yet. alerts is how many of them are alerts, as some
// servers send first of all (RFC 6066, 3): the answer is by the bytes behind them.
func AnswerOf(b []byte) (a Answer, alerts int) {
	alerts = leading(b, func(kind byte) bool { return kind == alert })
	b = b[alerts:min(len(b), alerts+Limit)]
	if len(b) == 0 || b[0] == alert {
		return Unknown, alerts
	}
	message, ok := reassemble(b)
	const random = messageHeader + 2 // where that begins, behind the version
	switch {
	case len(message) > 0 && message[0] != serverHello:
		return Final, alerts
	case len(message) < random+len(retryRandom):
		if ok && len(b) < Limit {
			return Unknown, alerts
		}
		return Final, alerts
	case string(message[random:random+len(retryRandom)]) == retryRandom:
		return Retry, alerts
	}
	return Final, alerts
}

// Second looks at a client's bytes behind the hello that was answered with [Retry], as [Name] does. Before a second
// hello there may be records of other kinds: change cipher spec, alerts, data of a session that is resumed (RFC 8446,
// 4.2.10 and D.4). others is how many bytes those take that have come whole; the result is NeedMore then.
func Second(b []byte) (r Result, name string, others int) {
	switch others = leading(b, func(kind byte) bool { return kind != handshake && isKind(kind) }); {
	case others > 0, len(b) == 0:
		return NeedMore, "", others
	case b[0] == handshake:
		r, name, _ = Name(b)
		return r, name, 0
	case isKind(b[0]):
		return NeedMore, "", 0
	}
	return None, "", 0
}

// isKind reports whether a byte is the type of a record.
func isKind(b byte) bool { return b >= changeCipherSpec && b <= data }

// leading is how many bytes the first records take that are there whole and of kinds that are asked for.
func leading(b []byte, kind func(byte) bool) (size int) {
	for rest := b; len(rest) >= recordHeader && kind(rest[0]); rest = b[size:] {
		end := recordHeader + int(rest[3])<<8 + int(rest[4])
		if end > len(rest) {
			break
		}
		size += end
	}
	return size
}
