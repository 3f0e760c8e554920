package platform

import "testing"

func TestParseStat(t *testing.T) {
	const rest = " 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 11 12"
	for _, c := range []struct {
		stat           string
		state          byte
		parent         int
		group, session int
		start          uint64
		ok             bool
	}{
		{"4711 (sh) S 17 4700 4600" + rest, 'S', 17, 4700, 4600, 98765, true},
		{"4711 (a) R 1 2 (b) T 17 4700 4600" + rest, 'T', 17, 4700, 4600, 98765, true}, // a name is any bytes
		{"4711 () Z 0 0 0" + rest, 'Z', 0, 0, 0, 98765, true},
		{"4711 (sh", 0, 0, 0, 0, 0, false},
		{"4711 (sh) S", 0, 0, 0, 0, 0, false},
		{"4711 (sh) S x y z", 0, 0, 0, 0, 0, false},
		{"", 0, 0, 0, 0, 0, false},
	} {
		b := []byte(c.stat)
		state, parent, ok := ParseStat(b)
		if ok != c.ok || ok && (state != c.state || parent != c.parent) {
			t.Errorf("%q: %c, parent %d, %v", c.stat, state, parent, ok)
		}
		if group, session, ok := ParseGroup(b); ok != c.ok || ok && (group != c.group || session != c.session) {
			t.Errorf("%q: group %d, session %d, %v", c.stat, group, session, ok)
		}
		if start, ok := ParseStart(b); ok != c.ok || ok && start != c.start {
			t.Errorf("%q: start %d, %v", c.stat, start, ok)
		}
	}
}
