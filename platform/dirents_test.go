package platform

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// dirent is one struct linux_dirent64 as the kernel writes it, padded to eight bytes.
func dirent(name string) []byte {
	size := (19 + len(name) + 1 + 7) &^ 7
	b := make([]byte, size)
	binary.LittleEndian.PutUint64(b, 42)
	binary.LittleEndian.PutUint16(b[16:], uint16(size))
	b[18] = 4
	copy(b[19:], name)
	return b
}

func TestParseDirents(t *testing.T) {
	names := []string{".", "..", "0", "255", "a longer name", strings.Repeat("n", 255)}
	var b []byte
	for _, n := range names {
		b = append(b, dirent(n)...)
	}
	if got, ok := ParseDirents(b); !ok || !slices.Equal(got, names) {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := ParseDirents(nil); !ok || len(got) != 0 {
		t.Errorf("nothing: %q, %v", got, ok)
	}
	for n := 1; n < len(b); n++ { // cut anywhere but between two
		whole := 0
		for _, name := range names {
			if whole < n {
				whole += len(dirent(name))
			}
		}
		if got, ok := ParseDirents(b[:n]); ok != (whole == n) {
			t.Errorf("%d bytes: %q, %v", n, got, ok)
		}
	}
	unended := dirent("12345678901234567890123")[:40]
	binary.LittleEndian.PutUint16(unended[16:], 40)
	copy(unended[19:], bytes.Repeat([]byte{'x'}, 21))
	if got, ok := ParseDirents(unended); ok {
		t.Errorf("a name without end: %q", got)
	}
	zero := dirent("x")
	zero[16] = 0
	if got, ok := ParseDirents(zero); ok {
		t.Errorf("a record without length: %q", got)
	}
}

// Accepted names end before their record does, and no record is lost.
func FuzzDirents(f *testing.F) {
	f.Add(append(dirent("."), dirent("..")...))
	f.Add(dirent("0")[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		names, ok := ParseDirents(b)
		if !ok {
			return
		}
		for _, n := range names {
			at := bytes.Index(b[19:], append([]byte(n), 0))
			if at < 0 {
				t.Fatalf("%q is not in %x", n, b)
			}
			b = b[binary.LittleEndian.Uint16(b[16:]):]
		}
		if len(b) != 0 {
			t.Fatalf("%x is left of %q", b, names)
		}
	})
}
