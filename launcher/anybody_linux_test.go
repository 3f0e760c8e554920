package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file is anybody's only if every folder above it is, too.
func TestOpenToAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "closed", "file")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if !openToAll("/bin/sh") || openToAll(file) || openToAll("/etc/passwd") || openToAll("/no/such") {
		t.Error("closed files are open, or open ones closed")
	}
}

// Root's copy lies where all may execute it, and no other user can put another folder in its place.
func TestRootsBase(t *testing.T) {
	if got := rootsBase("/no/such", "x", "/usr", "/tmp"); got != "/usr" {
		t.Errorf("the first that serves: %s", got)
	}
	dir := t.TempDir()
	if os.Getuid() != 0 {
		if got := rootsBase(dir); got != "" {
			t.Errorf("a folder of this user: %s", got)
		}
		return
	}
	var err error
	if dir, err = os.MkdirTemp("/tmp", "roots-base-"); err != nil { // t.TempDir is below a closed folder
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	inside, link := filepath.Join(dir, "inside"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(inside, 0o755), os.Symlink("inside", link)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{
		{0o755, 0, inside}, {0o711, 0, inside}, {os.ModeSticky | 0o777, 0, inside},
		{0o777, 0, ""}, {0o775, 0, ""}, {0o700, 0, ""}, {0o755, 65534, ""},
	} {
		if err := errors.Join(os.Chown(dir, c.owner, 0), os.Chmod(dir, c.mode)); err != nil {
			t.Fatal(err)
		}
		if got := rootsBase(link); got != c.want {
			t.Errorf("below a folder of %d with mode %v: %q, not %q", c.owner, c.mode, got, c.want)
		}
	}
}
