package userbus

import (
	"testing"
)

// Whatever arrives is read to its end or refused, and never more than was there.
func FuzzDecode(f *testing.F) {
	f.Add(startUnit.encode(1, scopeBody("a.scope", []int{1, 2})))
	f.Add(hello.encode(1, nil))
	f.Add([]byte("l\x04\x01\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("B\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x08\x05\x01u\x00\x00\x00\x00\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := length(b)
		if err != nil || n > len(b) || n == 0 {
			if _, err := decode(b); err == nil {
				t.Errorf("%q is a message", b)
			}
			return
		}
		m, err := decode(b[:n])
		if err != nil {
			return
		}
		if len(m.body) > n || len(m.member)+len(m.errorName)+len(m.signature) > n {
			t.Errorf("%+v of %d bytes", m, n)
		}
		m.strings()
	})
}

// What is written is a message that can be read.
func TestEncode(t *testing.T) {
	b := startUnit.encode(7, scopeBody("a.scope", []int{1, 2}))
	m, err := decode(b)
	if err != nil || m.kind != methodCall || m.member != "StartTransientUnit" || m.signature != "ssa(sv)a(sa(sv))" {
		t.Errorf("%+v, %v", m, err)
	}
	for n := range b {
		if _, err := decode(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are a message", n, len(b))
		}
	}
	// A return with its reply serial and one string.
	answer := []byte("l\x02\x01\x01\x07\x00\x00\x00\x01\x00\x00\x00\x0f\x00\x00\x00" + "\x05\x01u\x00\x09\x00\x00\x00" +
		"\x08\x01g\x00\x01s\x00\x00" + "\x02\x00\x00\x00ok\x00")
	m, err = decode(answer)
	list, ok := m.strings()
	if err != nil || m.reply != 9 || !ok || len(list) != 1 || list[0] != "ok" {
		t.Errorf("%+v, %v, %q", m, err, list)
	}
	answer[0] = 'B' // the byte order of no machine here
	if _, err := decode(answer); err == nil {
		t.Error("a message in the other byte order is read")
	}
}
