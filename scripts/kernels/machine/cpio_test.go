package machine

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entries reads an archive back as the kernel does.
func entries(t *testing.T, b []byte) (names []string, files map[string]string) {
	files = map[string]string{}
	for at := 0; ; {
		if string(b[at:at+6]) != "070701" {
			t.Fatalf("no header at %d: %q", at, b[at:at+6])
		}
		field := func(i int) int {
			n, err := strconv.ParseUint(string(b[at+6+8*i:at+14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		size, nameSize, mode := field(6), field(11), field(1)
		name := string(b[at+110 : at+110+nameSize-1])
		data := (at + 110 + nameSize + 3) &^ 3
		if name == trailer {
			return names, files
		}
		names = append(names, name)
		if mode == fileMode {
			files[name] = string(b[data : data+size])
		} else if mode != folderMode || size != 0 {
			t.Errorf("%s has mode %o and %d bytes", name, mode, size)
		}
		at = (data + size + 3) &^ 3
	}
}

func TestArchiveComesBack(t *testing.T) {
	a, want := newArchive(), map[string]string{"init": "\x7fELF", "modules/6.1/order": "a.ko\nb.ko\n", "modules/6.1/empty": "", "x": "abc"}
	for _, name := range []string{"init", "modules/6.1/order", "modules/6.1/empty", "x"} {
		a.file(name, []byte(want[name]))
	}
	names, files := entries(t, a.bytes())
	if got := strings.Join(names, " "); got != "init modules modules/6.1 modules/6.1/order modules/6.1/empty x" {
		t.Error(got)
	}
	for name, text := range want {
		if files[name] != text || !slices.Contains(names, name) {
			t.Errorf("%s: %q, want %q", name, files[name], text)
		}
	}
}
