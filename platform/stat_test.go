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
		want := Stat{State: c.state, Parent: c.parent, Group: c.group, Session: c.session, Threads: 1, Start: c.start}
		if got, ok := ParseStat([]byte(c.stat)); ok != c.ok || ok && got != want {
			t.Errorf("%q: %+v, %v", c.stat, got, ok)
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
		}
		if state <= ' ' || state >= 0x7f || state == ')' {
			return // a state is a letter
		}
		line := fmt.Appendf(nil, "4711 (%s) %c %d %d %d 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 11 12\n", name, state, parent, group, session, start)
		want := Stat{State: state, Parent: parent, Group: group, Session: session, Threads: 1, Start: start}
		if got, ok := ParseStat(line); !ok || got != want {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	})
}
