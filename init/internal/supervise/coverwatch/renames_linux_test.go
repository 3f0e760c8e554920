package coverwatch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// renaming watches a folder as a host does.
func renaming(t *testing.T, dir string) (*Watcher, *Renames) {
	t.Helper()
	r, err := NewRenames(func() {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	w := &Watcher{paths: paths{mountinfo: -1}}
	w.paths.folders.renames = r
	if err := w.paths.folders.watch(dir, false); err != nil {
		t.Fatal(err)
	}
	return w, r
}

// changes renames a file in a folder, and reports whether that was noticed.
func changes(t *testing.T, r *Renames, dir string) {
	t.Helper()
	file := filepath.Join(dir, "a")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "word of a rename", func() bool { return r.came.Swap(false) })
}

// A folder that is watched by its old path and its new one stays watched.
func TestFolderByTwoPaths(t *testing.T) {
	old, now := filepath.Join(t.TempDir(), "x"), filepath.Join(t.TempDir(), "y")
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	w, r := renaming(t, old)
	w.paths.folders.prune()
	if err := os.Rename(old, now); err != nil {
		t.Fatal(err)
	}
	if err := w.paths.folders.watch(now, false); err != nil {
		t.Fatal(err)
	}
	w.paths.folders.prune()
	if n := len(w.paths.folders.watched); n != 1 {
		t.Errorf("%d folders", n)
	}
	changes(t, r, now)
}

// Where a folder cannot be watched again the server lives, and the next try may do.
func TestWatchesAreUsedUp(t *testing.T) {
	dir := t.TempDir()
	w, r := renaming(t, dir)
	w.Lost = func(err error) { t.Error(err) }
	changes(t, r, dir)
	real := r.of
	usedUp := func(int, string, uint32) (int, error) { return -1, unix.ENOSPC }
	r.of = &inotify{fd: -1, add: usedUp, watches: map[int32][]*Renames{}}
	if w.Again() {
		t.Error("it is watched again by nothing")
	}
	r.of = real
	if !w.Again() {
		t.Error("it is not watched again")
	}
	changes(t, r, dir)
}

// A fault in what watches for all sandboxes of a host ends them, one by one, and not the host. Those that begin later
// are watched as before.
func TestRenamesAreLost(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	_, broken := renaming(t, dir)
	broken.of.mu.Lock()
	broken.rouse = func() { panic("a fault") }
	broken.of.mu.Unlock()
	w, r := renaming(t, other)
	var lost error
	w.Lost = func(err error) { lost = err }
	if w.Heard(func() {}, false); lost != nil {
		t.Fatal(lost)
	}
	changes(t, broken, dir)
	testbed.Await(t, "the loss of another watch", r.lost.Load)
	if w.Heard(func() {}, false); !errors.Is(lost, errUnwatched) {
		t.Errorf("the watcher is told %v", lost)
	}
	_, later := renaming(t, dir)
	changes(t, later, dir)
}
