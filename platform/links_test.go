package platform

import (
	"encoding/binary"
	"reflect"
	"testing"
)

// message is one struct nlmsghdr with its body, padded to four bytes; netlink(7).
func message(kind int, body []byte) []byte {
	b := make([]byte, 16, 16+len(body)+3)
	binary.LittleEndian.PutUint32(b, uint32(16+len(body)))
	binary.LittleEndian.PutUint16(b[4:], uint16(kind))
	b = append(b, body...)
	return append(b, make([]byte, -len(b)&3)...)
}

// link is an RTM_NEWLINK's body: struct ifinfomsg and attributes, the name the second of them.
func link(name string, flags uint32) []byte {
	b := make([]byte, 16)
	binary.LittleEndian.PutUint32(b[8:], flags)
	for _, a := range []struct {
		kind int
		text string
	}{{13, "\x00\x00\x00\x00"}, {3, name + "\x00"}} {
		b = append(b, byte(4+len(a.text)), 0, byte(a.kind), 0)
		b = append(b, a.text...)
		b = append(b, make([]byte, -len(b)&3)...)
	}
	return b
}

func TestParseLinks(t *testing.T) {
	both := append(message(16, link("lo", 1|8)), message(16, link("sit0", 0))...)
	done := message(3, []byte{0, 0, 0, 0})
	for _, c := range []struct {
		name  string
		text  []byte
		links []Link
		done  bool
		ok    bool
	}{
		{"two", both, []Link{{"lo", true}, {"sit0", false}}, false, true},
		{"two and the end", append(append([]byte{}, both...), done...), []Link{{"lo", true}, {"sit0", false}}, true, true},
		{"the end", done, nil, true, true},
		{"nothing", nil, nil, false, true},
		{"an error", message(2, make([]byte, 20)), nil, false, false},
		{"another message", message(20, make([]byte, 8)), nil, false, true},
		{"half a header", both[:10], nil, false, false},
		{"half a message", both[:40], nil, false, false},
		{"no name", message(16, make([]byte, 16)), nil, false, false},
		{"no ifinfomsg", message(16, make([]byte, 8)), nil, false, false},
		{"an attribute over the end", message(16, append(make([]byte, 16), 200, 0, 3, 0)), nil, false, false},
		{"an attribute without length", message(16, append(make([]byte, 16), 0, 0, 3, 0)), nil, false, false},
	} {
		links, done, ok := ParseLinks(c.text)
		if ok != c.ok || ok && (done != c.done || !reflect.DeepEqual(links, c.links)) {
			t.Errorf("%s: %v, %v, %v", c.name, links, done, ok)
		}
	}
}

func TestLinkDump(t *testing.T) {
	b := LinkDump()
	if int(binary.LittleEndian.Uint32(b)) != len(b) || b[4] != 18 || b[5] != 0 {
		t.Errorf("%x", b)
	}
}

// Nothing panics, every accepted link has a name, and an answer in two parts says what it says in one.
func FuzzLinks(f *testing.F) {
	f.Add(message(16, link("lo", 1)), message(3, []byte{0, 0, 0, 0}))
	f.Add(message(16, link("sit0", 0)), message(2, nil))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		first, done1, ok1 := ParseLinks(a)
		second, done2, ok2 := ParseLinks(b)
		for _, l := range append(first, second...) {
			if l.Name == "" {
				t.Fatalf("%x, %x: %v %v", a, b, first, second)
			}
		}
		if !ok1 || !ok2 || len(a)%4 != 0 {
			return
		}
		all, done, ok := ParseLinks(append(append([]byte{}, a...), b...))
		if !ok || done != (done1 || done2) || len(all) != len(first)+len(second) {
			t.Fatalf("%x, %x: %v, %v, %v", a, b, all, done, ok)
		}
	})
}
