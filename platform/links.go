package platform

import (
	"bytes"
	"encoding/binary"
)

// A Link is a network interface as rtnetlink(7) lists it.
type Link struct {
	Name string
	Up   bool
}

const (
	nlDone    = 3
	nlError   = 2
	newLink   = 16
	getLink   = 18
	nlHeader  = 16 // struct nlmsghdr
	linkInfo  = 16 // struct ifinfomsg
	attrName  = 3  // IFLA_IFNAME
	requested = 0x1 | 0x300
	flagUp    = 1
)

// LinkDump is the request for all interfaces of a network namespace.
func LinkDump() []byte {
	b := make([]byte, nlHeader+linkInfo)
	b[0], b[4] = byte(len(b)), getLink
	b[6], b[7] = requested&0xff, requested>>8
	b[8] = 1
	return b
}

// ParseLinks reads one answer to [LinkDump]. done is true if it held the end of the list.
func ParseLinks(b []byte) (links []Link, done, ok bool) {
	done, ok = eachMessage(b, func(kind int, body []byte) bool {
		if kind != newLink {
			return true
		}
		l, fine := parseLink(body)
		links = append(links, l)
		return fine
	})
	if !ok {
		return nil, false, false
	}
	return links, done, true
}

// eachMessage takes an answer of netlink apart, which may not hold an error. done is true if it held the end of a list.
func eachMessage(b []byte, read func(kind int, body []byte) bool) (done, ok bool) {
	for len(b) > 0 {
		if len(b) < nlHeader {
			return false, false
		}
		n := int(binary.LittleEndian.Uint32(b))
		if n < nlHeader || n > len(b) {
			return false, false
		}
		switch kind := int(b[4]) | int(b[5])<<8; kind {
		case nlDone:
			done = true
		case nlError:
			return false, false
		default:
			if !read(kind, b[nlHeader:n]) {
				return false, false
			}
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return done, true
}

func parseLink(b []byte) (l Link, ok bool) {
	if len(b) < linkInfo {
		return l, false
	}
	l.Up = b[8]&flagUp != 0
	for b = b[linkInfo:]; len(b) >= 4; {
		n, kind := int(b[0])|int(b[1])<<8, int(b[2])|int(b[3])<<8
		if n < 4 || n > len(b) {
			return l, false
		}
		if kind == attrName {
			l.Name = string(bytes.TrimRight(b[4:n], "\x00"))
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return l, l.Name != ""
}
