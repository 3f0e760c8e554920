//go:build darwin || linux

package privdir

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// What a server left is removed for a time, and no longer than a moment once somebody asks for the end; the next launch
// goes on with it.
func TestEmptyEnds(t *testing.T) {
	dir := t.TempDir()
	top, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(top)
	os.MkdirAll(dir+"/deep/er", 0o700)
	for i := range 3000 {
		for _, in := range []string{"/", "/deep/", "/deep/er/"} {
			if err := os.WriteFile(dir+in+strconv.Itoa(i), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (n int) {
		folder.Each(top, func(string) bool { n++; return true })
		return n
	}
	folder.Empty(top, budget(-1, nil))
	if n := left(); n < 2900 {
		t.Errorf("%d are left, though there was no time", n)
	}
	over, from := budget(time.Hour, func() bool { return true }), time.Now()
	for !over() {
		if time.Since(from) > 30*time.Second {
			t.Fatal("a signal that came is not heard")
		}
	}
	for from := time.Now(); left() > 0 && time.Since(from) < time.Minute; { // as launches do, one after the other
		folder.Empty(top, budget(10*time.Millisecond, nil))
	}
	if n := left(); n != 0 {
		t.Errorf("%d are left", n)
	}
}
