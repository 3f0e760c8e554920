package layers

import (
	"slices"
	"testing"
)

// The sizes and highest rights of struct landlock_ruleset_attr by version; include/uapi/linux/landlock.h.
func TestHandledRights(t *testing.T) {
	for _, c := range []struct {
		abi          int
		rights, size uint64
	}{{1, 0x1fff, 8}, {2, 0x3fff, 8}, {3, 0x7fff, 8}, {4, 0x7fff, 16}, {5, 0xffff, 16}, {6, 0xffff, 24}, {7, 0xffff, 24}, {9, 0x1ffff, 24}, {99, 0x1ffff, 24}} {
		if rights, size := handled(c.abi); rights != c.rights || size != c.size {
			t.Errorf("ABI %d: %#x, %d bytes", c.abi, rights, size)
		}
	}
}

// A rule that gives nothing would be one whose absence nobody notices.
func TestNeededRules(t *testing.T) {
	all := []rule{{path: "/", rights: rightsRead}, {path: "/dev", rights: rightsDev}, {path: "/dev/shm", rights: rightsPrivate}, {path: "/tmp", rights: rightsPrivate},
		{path: "/tmp/home", rights: rightsPrivate}, {path: "/tmp/grant", rights: rightsWrite}, {path: "/tmp/file", rights: rightsFile},
		{path: "/tmpfile", rights: rightsFile}, {path: "/srv/w", rights: rightsWrite}, {path: "/srv/w/f", rights: rightsFile}, {path: "/srv", rights: rightsRead}}
	var got []string
	for _, r := range needed(all) {
		got = append(got, r.path)
	}
	if want := []string{"/", "/dev", "/dev/shm", "/tmp", "/tmpfile", "/srv/w"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
