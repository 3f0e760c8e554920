package debian

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestNeeds(t *testing.T) {
	for text, want := range map[string]string{
		"license=GPL\x00depends=\x00name=fuse\x00":                          "",
		"depends=fuse\x00":                                                  "fuse",
		"alias=x\x00depends=virtio,virtio-ring\x00retpoline=Y\x00":          "virtio virtio_ring",
		"softdep=pre: crc32c libcrc32c\x00depends=a\x00softdep=post: b\x00": "crc32c? libcrc32c? a",
		"": "",
	} {
		if got := strings.Join(needs([]byte(text)), " "); got != want {
			t.Errorf("%q needs %q, want %q", text, got, want)
		}
	}
}

func TestModuleName(t *testing.T) {
	for file, want := range map[string]string{"fuse.ko": "fuse", "virtio-rng.ko.xz": "virtio_rng", "modules.dep": "", "a.ko.sig": "", "x.kok": ""} {
		if got, ok := moduleName(file); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v", file, got, ok)
		}
	}
}

func TestSorted(t *testing.T) {
	graph := map[string]string{"virtiofs": "fuse virtio", "fuse": "", "virtio": "-", "overlay": "fuse", "round": "about", "about": "round", "ext4": "crc32c? fuse? fuse", "-": ""}
	read := func(name string) ([]string, bool, error) {
		list, known := graph[name]
		if !known {
			return nil, false, fmt.Errorf("no module %s: %w", name, fs.ErrNotExist)
		}
		if list == "-" {
			return nil, false, nil
		}
		return strings.Fields(list), true, nil
	}
	for _, c := range []struct{ wanted, want, err string }{
		{"overlay virtiofs fuse", "fuse overlay virtiofs", ""},
		{"virtio", "", ""},
		{"round", "", "needs itself"},
		{"fuse gone", "", "no module gone"},
		{"gone? ext4 fuse?", "fuse ext4", ""},
		{"gone? gone", "", "no module gone"},
	} {
		got, err := sorted(strings.Fields(c.wanted), read)
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v", c.wanted, got, err)
		}
	}
}
