//go:build darwin || linux

package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// In an open folder no link is followed, neither to read nor to write, and nothing that is there is written over: who
// can write to the folder may have put anything under the name since.
func TestFolderFollowsNothing(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.WriteFile(dir+"/f", []byte("text"), 0o600), os.Symlink("f", dir+"/l"), os.Symlink("new", dir+"/n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	if _, err := f.open("l"); !errors.Is(err, errKind) {
		t.Errorf("a link was opened: %v", err)
	}
	for _, name := range []string{"f", "l", "n"} {
		if made, err := f.create(name); err == nil {
			made.Close()
			t.Errorf("%s was written over", name)
		}
	}
	if _, err := os.Lstat(dir + "/new"); err == nil {
		t.Error("a file was made through a link")
	}
}

// Whatever another program does to a file between the reading and the exchange is seen, be it that the size stays, the
// time or the mode. Who only reads is not.
func TestFolderSees(t *testing.T) {
	dir := t.TempDir()
	f, err := openFolder(at(t, dir).File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	path, then := dir+"/f", time.Now().Add(-time.Hour)
	put := func(path, text string, when time.Time) {
		must(t, os.WriteFile(path, []byte(text), 0o600))
		must(t, os.Chtimes(path, when, when))
	}
	for _, c := range []struct {
		name string
		act  func()
		same bool
	}{
		{"nothing", func() {}, true},
		{"read", func() { _, err := os.ReadFile(path); must(t, err) }, true},
		{"the same size", func() { put(path, "new", then.Add(time.Millisecond)) }, false},
		{"the same time", func() { put(path, "longer", then) }, false},
		{"another file", func() { put(path+"2", "new", then); must(t, os.Rename(path+"2", path)) }, false},
		{"another mode", func() { must(t, os.Chmod(path, 0o640)) }, false},
		{"a link to it", func() { must(t, os.Rename(path, path+"2")); must(t, os.Symlink("f2", path)) }, false},
		{"gone", func() { must(t, os.Remove(path)) }, false},
	} {
		must(t, os.RemoveAll(path))
		put(path, "old", then)
		o, err := f.open("f")
		if err != nil {
			t.Fatal(err)
		}
		if c.act(); f.same("f", o) != c.same {
			t.Errorf("%s: the same: %t", c.name, !c.same)
		}
		o.Close()
	}
}
