//go:build darwin || linux

package folder

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Each name is looked at a few times, however many folders there are and however deep they lie.
func TestEmptyLooksOnce(t *testing.T) {
	top := t.TempDir()
	for i := range 300 {
		at := filepath.Join(top, "wide"+strconv.Itoa(i))
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at+"/file", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(top, strings.Repeat("/deep", 200)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(top, "deep/deep"), 0); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(top, flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const names = 300*2 + 200
	looks := 0
	Empty(fd, func() bool { looks++; return looks > 4*names })
	left, err := os.ReadDir(top)
	if err != nil || len(left) > 0 || looks < names {
		t.Errorf("%d names are left after %d looks: %v", len(left), looks, err)
	}
}
