//go:build darwin || linux

package store

import (
	"errors"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A record is a file, and no link to one; a draft of another is not written through a link either.
func TestRecordsAreNoLinks(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(dir+"/f", []byte("text"), 0o600), os.Symlink("f", dir+"/l"), os.Symlink("f", dir+"/.x"),
		unix.Mkfifo(dir+"/p", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	at, err := folder.Open(unix.AT_FDCWD, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(at)
	for _, name := range []string{"l", "p", "."} {
		if b, err := folder.Read(at, name, 99); err == nil {
			t.Errorf("%s: %q was read", name, b)
		}
	}
	if err := folder.Make(at, "l", 0o600, nil); err == nil {
		t.Error("a file was made at a link")
	}
	if err := folder.Replace(at, "x", []byte("new")); err == nil {
		t.Error("a draft was written through a link")
	}
	if b, err := os.ReadFile(dir + "/f"); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
}

// The store's folders, a package's and a stage's are folders, and no links to folders of the same user.
func TestFoldersAreNoLinks(t *testing.T) {
	dir := t.TempDir()
	const name, version = "npm/x", "1.0.0-0123456789ab"
	err := errors.Join(os.MkdirAll(dir+"/"+name+"/"+version, 0o700), os.Symlink("npm", dir+"/link"), os.Symlink("x", dir+"/npm/y"),
		os.Symlink(version, dir+"/"+name+"/1.0.1-0123456789ab"), os.WriteFile(dir+"/npm/x/kept", nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	at, err := folder.Open(unix.AT_FDCWD, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(at)
	d := disk{fd: at, at: dir}
	for rel, want := range map[string]bool{name + "/" + version: true, name + "/1.0.1-0123456789ab": false, "npm/y/" + version: false, "link/x/" + version: false} {
		fd, err := d.open(rel)
		unix.Close(fd)
		if (err == nil) != want {
			t.Errorf("%s: %v", rel, err)
		}
	}
	g := Stage{Folder: dir + "/npm/y", fd: at}
	for name, want := range map[string]bool{"link": false, "npm": true} {
		fd, err := folder.Own(at, name, false)
		unix.Close(fd)
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Symlink("npm/x", dir+"/"+inner); err != nil {
		t.Fatal(err)
	}
	if g.Give(os.Getuid(), os.Getgid()) == nil || g.Drop("kept") == nil {
		t.Error("a stage's folder is a link")
	}
	if _, err := os.Lstat(dir + "/npm/x/kept"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(dir+"/"+inner), os.Rename(dir+"/npm/x", dir+"/"+inner), g.Give(os.Getuid(), os.Getgid()), g.Drop("kept")); err != nil {
		t.Error(err)
	}
}

// A package whose folder belongs to another user is none of this user's store.
func TestPackageOfAnother(t *testing.T) {
	dir := t.TempDir()
	const rel = "npm/x/1.0.0-0123456789ab"
	if err := os.MkdirAll(dir+"/"+rel, 0o700); err != nil {
		t.Fatal(err)
	}
	at, err := folder.Open(unix.AT_FDCWD, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(at)
	d := disk{fd: at, at: dir}
	fd, err := d.open(rel)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	if os.Geteuid() != 0 || os.Lchown(dir+"/"+rel, 12345, 12345) != nil {
		return
	}
	if fd, err := d.open(rel); err == nil {
		unix.Close(fd)
		t.Error("another user's folder was opened")
	}
}
