package platform

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseIDMap(t *testing.T) {
	for text, want := range map[string][]IDRange{
		"         0          0 4294967295\n": {{0, 0, 4294967295}},
		"0 1000 1\n1 100000 65536\n":         {{0, 1000, 1}, {1, 100000, 65536}},
		"":                                   nil,
		"65533 0 1":                          {{65533, 0, 1}},
	} {
		got, ok := ParseIDMap([]byte(text))
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"0 0\n", "0 0 1 2\n", "a 0 1\n", "-1 0 1\n", "0 0 4294967296\n", "\n", "0 0 1\n\n", "0x1 0 1\n"} {
		if got, ok := ParseIDMap([]byte(text)); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMapped(t *testing.T) {
	ranges := []IDRange{{0, 1000, 1}, {1, 100000, 65536}}
	for id, want := range map[int]bool{0: true, 1: true, 65536: true, 65537: false, -1: false, 1 << 40: false} {
		if Mapped(ranges, id) != want {
			t.Errorf("%d is mapped: %v", id, !want)
		}
	}
	if Mapped(nil, 0) || Mapped([]IDRange{{5, 5, 0}}, 5) {
		t.Error("an empty range maps something")
	}
	if !Mapped([]IDRange{{0, 0, 4294967295}}, 4294967294) || Mapped([]IDRange{{0, 0, 4294967295}}, 4294967295) {
		t.Error("the whole range")
	}
}

// An accepted map is what it says when it is written again.
func FuzzIDMap(f *testing.F) {
	f.Add([]byte("         0          0 4294967295\n"))
	f.Add([]byte("0 1000 1\n1 100000 65536\n"))
	f.Add([]byte("+1 2 3"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ranges, ok := ParseIDMap(b)
		if !ok {
			return
		}
		var text strings.Builder
		for _, r := range ranges {
			fmt.Fprintf(&text, "%d %d %d\n", r.Inside, r.Outside, r.Count)
		}
		again, ok := ParseIDMap([]byte(text.String()))
		if !ok || !reflect.DeepEqual(again, ranges) {
			t.Fatalf("%q is %v, then %v", b, ranges, again)
		}
	})
}
