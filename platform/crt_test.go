package platform

import (
	"slices"
	"testing"
)

func TestCRTHandles(t *testing.T) {
	handle := func(n ...byte) []byte { return append(n, make([]byte, 8-len(n))...) }
	none := slices.Repeat([]byte{0xff}, 8)
	for _, c := range []struct {
		name string
		b    []byte
		want []uint64
	}{
		{"nothing", nil, nil},
		{"too short for a number", []byte{1, 0, 0}, nil},
		{"no descriptors", []byte{0, 0, 0, 0}, []uint64{}},
		{"as node passes four", slices.Concat([]byte{4, 0, 0, 0, 9, 9, 0, 1}, handle(0x54), handle(0x58), handle(0x5c), handle(0x60, 1)),
			[]uint64{0x54, 0x58, 0, 0x160}},
		{"a closed one", slices.Concat([]byte{2, 0, 0, 0, 1, 1}, none, handle(0x58)), []uint64{0, 0x58}},
		{"more said than there is", slices.Concat([]byte{3, 0, 0, 0, 1, 1, 1}, handle(1), handle(2)), nil},
		{"far more said than there is", []byte{0xff, 0xff, 0xff, 0xff, 1}, nil},
		{"something behind it", slices.Concat([]byte{1, 0, 0, 0, 1}, handle(8), []byte{7}), []uint64{8}},
	} {
		if got := CRTHandles(c.b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
}

func FuzzCRTHandles(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := CRTHandles(b); len(got)*9+4 > len(b) && len(got) > 0 {
			t.Errorf("%d handles out of %d bytes", len(got), len(b))
		}
	})
}
