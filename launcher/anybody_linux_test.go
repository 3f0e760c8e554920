package launcher

import (
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

// Root's copy lies where no other user can put another folder in its place.
func TestOwnBase(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	anybodys := filepath.Join(dir, "anybodys")
	inside := filepath.Join(anybodys, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/usr/lib", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(anybodys, 0o777); err != nil {
		t.Fatal(err)
	}
	own := "/tmp" // of a user's folder
	if os.Getuid() == 0 {
		own = dir
	}
	lib, err := filepath.EvalSymlinks("/usr/lib")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{"/usr": "/usr", link: lib, dir: own, anybodys: "/tmp", inside: "/tmp", "/no/such": "/tmp", "x": "/tmp"} {
		if got := ownBase(base); got != want {
			t.Errorf("%s: %s, not %s", base, got, want)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	if err := os.Chmod(anybodys, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := ownBase(inside); got != inside {
		t.Errorf("of root alone: %s", got)
	}
	if err := os.Chown(anybodys, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if got := ownBase(inside); got != "/tmp" {
		t.Errorf("below another user's folder: %s", got)
	}
}
