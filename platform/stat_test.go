package platform

import (
	"fmt"
	"testing"
)

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
		if n, ok := ParseThreads(b); ok != c.ok || ok && n != 1 {
			t.Errorf("%q: %d threads, %v", c.stat, n, ok)
		}
		if start, ok := ParseStart(b); ok != c.ok || ok && start != c.start {
			t.Errorf("%q: start %d, %v", c.stat, start, ok)
		}
	}
}

// FuzzStat: whatever a process calls itself, it is nobody else's child, in no other group, and no older: the line is
// as the kernel writes it, do_task_stat in fs/proc/array.c. Of what no kernel writes nothing is demanded but an end.
func FuzzStat(f *testing.F) {
	f.Add("sh", byte('S'), 17, 4700, 4600, uint64(98765))
	f.Add("a) R 1 1 1 0 -1", byte('T'), 2, 3, 4, uint64(5))
	f.Add(") S 1", byte('Z'), 0, 0, 0, uint64(0))
	f.Add("(\x00\xff\n", byte('R'), -1, -2, -3, ^uint64(0))
	f.Fuzz(func(t *testing.T, name string, state byte, parent, group, session int, start uint64) {
		for _, raw := range []string{name, string(state) + name} {
			ParseStat([]byte(raw))
			ParseGroup([]byte(raw))
			ParseStart([]byte(raw))
		}
		if state <= ' ' || state >= 0x7f || state == ')' {
			return // a state is a letter
		}
		line := fmt.Appendf(nil, "4711 (%s) %c %d %d %d 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 11 12\n", name, state, parent, group, session, start)
		if s, p, ok := ParseStat(line); !ok || s != state || p != parent {
			t.Errorf("%q: %c, parent %d, %v", line, s, p, ok)
		}
		if g, s, ok := ParseGroup(line); !ok || g != group || s != session {
			t.Errorf("%q: group %d, session %d, %v", line, g, s, ok)
		}
		if at, ok := ParseStart(line); !ok || at != start {
			t.Errorf("%q: start %d, %v", line, at, ok)
		}
	})
}
