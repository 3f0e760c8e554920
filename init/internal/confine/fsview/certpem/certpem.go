// Package certpem takes the certificates out of a text, and nothing else that stands there.
//
//	shown := certpem.Only(text) // PEM again, or nothing
//
// A certificate is a block of RFC 7468 whose bytes have the structure of RFC 5280, section 4.1, to the last byte. Each
// is written anew from these bytes: no header, comment, space or key comes along. A block TRUSTED CERTIFICATE is none:
// behind the certificate it says for which uses not to trust it, and without that part it would say the opposite. The
// content of a certificate itself is not judged: its maker could write anything into it.
package certpem

import "bytes"

const (
	begin   = "-----BEGIN "
	end     = "-----END "
	dashes  = "-----"
	columns = 64 // of base64 in a line
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)

// Only is a text of the certificates in a text, in their order; nil if there are none.
func Only(text []byte) (all []byte) {
	kind := "" // of the block that has begun and whose lines are body; "" for none
	var body []byte
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		line = bytes.TrimRight(line, " \t\r")
		switch {
		case !bytes.HasPrefix(line, []byte(dashes)):
			if kind != "" {
				body = append(body, line...)
			}
			continue
		case kind != "" && string(line) == end+kind+dashes:
			if der, ok := decode(body); ok && isCertificate(der) {
				all = appendBlock(all, der)
			}
		}
		kind, body = begun(line), body[:0]
	}
	return all
}

// begun is the kind of the block that a line begins; "" for one that has no certificate. X509 CERTIFICATE is an old
// name of the same.
func begun(line []byte) string {
	for _, kind := range [...]string{"CERTIFICATE", "X509 CERTIFICATE"} {
		if string(line) == begin+kind+dashes {
			return kind
		}
	}
	return ""
}

// decode reads base64. encoding/base64 brings reflect along.
func decode(text []byte) (b []byte, ok bool) {
	b = make([]byte, 0, len(text)/4*3+3)
	word, digits, padding := uint32(0), 0, 0
	for _, c := range text {
		digit := digitOf(c)
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '=' && digits%4 >= 2: // and so there are two at most: behind padding nothing else comes
			digit = 0
			padding++
		case digit < 0 || padding > 0:
			return nil, false
		}
		word = word<<6 | uint32(digit)
		if digits++; digits%4 == 0 {
			b = append(b, byte(word>>16), byte(word>>8), byte(word))
		}
	}
	return b[:max(0, len(b)-padding)], digits%4 == 0
}

// digitOf is the value of a letter; -1 of none.
func digitOf(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return int(c - 'A')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 26
	case '0' <= c && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

// appendBlock appends a certificate as PEM.
func appendBlock(all, der []byte) []byte {
	all = append(all, begin+"CERTIFICATE"+dashes+"\n"...)
	for i, column := 0, 0; i < len(der); i += 3 {
		var b [3]byte
		n := copy(b[:], der[i:])
		word := uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
		for j := range 4 {
			if j <= n {
				all = append(all, letters[word>>(18-6*j)&63])
			} else {
				all = append(all, '=')
			}
		}
		if column += 4; column == columns || i+3 >= len(der) {
			all, column = append(all, '\n'), 0
		}
	}
	return append(all, end+"CERTIFICATE"+dashes+"\n"...)
}
