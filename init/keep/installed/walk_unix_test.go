//go:build darwin || linux

package installed

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder on the way into which others may write, or that another user owns, leads to no package.
func TestFoldersOnTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/npm/x/1", 0o700); err != nil {
		t.Fatal(err)
	}
	from, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(from)
	try := func(what string, fine bool) {
		t.Helper()
		fd, err := walk(from, "npm/x/1")
		if err == nil {
			unix.Close(fd)
		}
		if (err == nil) != fine {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, folder := range []string{"/npm", "/npm/x"} {
		for _, mode := range []os.FileMode{0o700, 0o755, 0o720, 0o702, 0o777 | os.ModeSticky} {
			if err := os.Chmod(dir+folder, mode); err != nil {
				t.Fatal(err)
			}
			try(folder+" "+mode.String(), mode&0o022 == 0)
		}
		if err := os.Chmod(dir+folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 && os.Lchown(dir+folder, 12345, 12345) == nil {
			try(folder+" of another", false)
			if err := os.Lchown(dir+folder, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	try("all in order", true)
}

// A path is taken as it stands, and what was locked has to be what lies there.
func TestPathsAndLocks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	for _, at := range []string{"/a/../../outside/x", "/a//b/c", "/./a/b/c", "/a/b/c/", "/", ""} {
		if below, err := belowStore(dir+at, dir); err == nil {
			t.Errorf("%q: %q", at, below)
		}
	}
	if below, err := belowStore(dir+"/a/b/c", dir); err != nil || below != "a/b/c" {
		t.Error(below, err)
	}
	if err := os.Mkdir(dir+"/p", 0o700); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(dir+"/p", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &Folder{Path: dir + "/p", FD: fd}
	defer f.Close()
	if err := f.check(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Rename(dir+"/p", dir+"/q"), os.Mkdir(dir+"/p", 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := f.check(); !errors.Is(err, ErrNone) {
		t.Errorf("another folder lies there: %v", err)
	}
}
