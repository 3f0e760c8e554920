// Package dns reads the questions that a server asks its name server, and writes the answers: the wire format alone
// (RFC 1035, RFC 6891 for EDNS), without a socket and without a decision.
//
//	q, err := dns.Parse(packet)
//	if errors.Is(err, dns.ErrDropped) {
//		return
//	}
//	send(q.Answer(nil, dns.Answer{Code: dnsmessage.RCodeNameError, Blocked: true}))
//
// The server chooses every byte of a packet. A name reaches the caller only if each of its labels is made of letters,
// digits, '-' and '_', so that no label can hold a dot, a zero byte or an escape. The answer repeats the question byte
// for byte, in upper and lower case as it came: some clients compare it (draft-vixie-dnsext-dns0x20).
//
// The types, classes and codes are those of golang.org/x/net/dns/dnsmessage. Its parser is not used, because it
// refuses a label with a dot, which here must be answered with its own bytes, and does not tell of bytes behind the
// last record; its builder writes questions from text and so cannot repeat such a label. The tests read every answer
// with it.
package dns
