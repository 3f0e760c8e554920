package platform

import (
	"fmt"
	"reflect"
	"slices"
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

func TestHomesOf(t *testing.T) {
	const passwd = "root:x:0:0:root:/root:/bin/sh\nu:x:1000:1000:U,,,:/data/u:/bin/sh\n#c\nshort:x:7:7::\n\n+::::::\n" +
		"second:x:1000:1000::/data/second:\nnohome:x:8:8:::\nodd:x:x:8::/odd:\nlast:x:9:9::/last:/bin/sh"
	for _, c := range []struct {
		uids []int
		want []string
	}{{nil, nil}, {[]int{0}, []string{"/root"}}, {[]int{1000, 1000}, []string{"/data/u", "/data/second"}}, {[]int{9, 0}, []string{"/root", "/last"}}, {[]int{7, 8, 65533}, nil}} {
		if got := HomesOf(passwd, c.uids...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.uids, got, c.want)
		}
	}
}
