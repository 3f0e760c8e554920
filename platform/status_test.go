package platform

import "testing"

func TestPending(t *testing.T) {
	for _, c := range []struct {
		status string
		mask   uint64
		ok     bool
	}{
		{"Name:\tnode\nSigPnd:\t0000000000000001\nShdPnd:\t0000000000040000\nSigBlk:\t0\n", 1 << 18, true},
		{"Name:\tnode\nShdPnd:\t0000000000000000", 0, true},
		{"Name:\tShdPnd: 1\n", 0, false}, // a process may be called so
		{"Name:\tx\nShdPnd:\tnone\n", 0, false},
		{"", 0, false},
	} {
		if mask, ok := Pending([]byte(c.status)); mask != c.mask || ok != c.ok {
			t.Errorf("%q: %x, %v", c.status, mask, ok)
		}
	}
}

func TestParseMaps(t *testing.T) {
	const good = "55d0-55d1 r--p 00000000 fd:10 1234                       /base/a b (deleted)\n" +
		"7fff-8000 rw-p 00000000 00:00 0 \n" + "7fff-8000 rw-p 00000000 00:00 0                          [stack]\n"
	maps, ok := ParseMaps([]byte(good))
	if !ok || len(maps) != 3 || maps[0] != (Mapping{0xfd<<32 | 0x10, 1234, "/base/a b (deleted)"}) || maps[1].Path != "" {
		t.Errorf("%v, %v", maps, ok)
	}
	for _, bad := range []string{"x\n", good + "7fff", "a b c d e f\n", "a b c 1:2 -3\n", "a b c 12 3\n"} {
		if _, ok := ParseMaps([]byte(bad)); ok {
			t.Errorf("%q was read", bad)
		}
	}
}
