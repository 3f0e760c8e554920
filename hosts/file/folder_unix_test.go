//go:build darwin || linux

package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
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
