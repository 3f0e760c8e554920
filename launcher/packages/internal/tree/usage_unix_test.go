//go:build darwin || linux

package tree

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that a manager removes between the open and the read counts as gone; one of a package is an error.
func TestRemovedWhileRead(t *testing.T) {
	at := t.TempDir() + "/gone"
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	fd, err := openFolder(unix.AT_FDCWD, at)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	for _, moves := range []bool{true, false} {
		w := newWalker(10, nil)
		w.moves = moves
		if err := w.walk(fd, "gone", 0); moves != (err == nil) {
			t.Errorf("others write meanwhile: %v: %v", moves, err)
		}
	}
}
