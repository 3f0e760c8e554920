//go:build darwin || linux

package tree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// What is another thing after the survey than before is neither sealed nor followed: a link out of the package in place
// of a file or folder, another name, a longer file.
func TestSealOfWhatChanged(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	for name, change := range map[string]func(at string) error{
		"a link for a file": func(at string) error {
			return errors.Join(os.Remove(at+"/f"), os.Symlink(outside+"/f", at+"/f"))
		},
		"a link for a folder": func(at string) error {
			return errors.Join(os.RemoveAll(at+"/d"), os.Symlink(outside, at+"/d"))
		},
		"another name":  func(at string) error { return os.Rename(at+"/f", at+"/g") },
		"a longer file": func(at string) error { return os.WriteFile(at+"/f", []byte("longer"), 0o644) },
		"a pipe": func(at string) error {
			return errors.Join(os.Remove(at+"/f"), unix.Mkfifo(at+"/f", 0o600))
		},
	} {
		at := t.TempDir()
		for _, folder := range []string{at, outside} {
			err := errors.Join(os.MkdirAll(folder+"/d", 0o755), os.WriteFile(folder+"/f", []byte("text"), 0o600))
			if err != nil {
				t.Fatal(err)
			}
		}
		fd, err := openFolder(unix.AT_FDCWD, at)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Survey(fd, Request{Owner: -1})
		if err == nil {
			err = change(at)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Seal(fd, found, nil); err == nil {
			t.Errorf("%s was sealed", name)
		}
		unix.Close(fd)
		if info, err := os.Stat(outside + "/f"); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// A folder is opened by its own name, and not by a link's.
func TestFoldersAreNoLinks(t *testing.T) {
	at := t.TempDir()
	if err := errors.Join(os.Mkdir(at+"/d", 0o700), os.Symlink("d", at+"/l")); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(int, string) (int, error){openFolder, folder.Open, folder.OpenAny} {
		if fd, err := open(unix.AT_FDCWD, at+"/l"); err == nil {
			unix.Close(fd)
			t.Error("a link was followed")
		}
		fd, err := open(unix.AT_FDCWD, at+"/d")
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
	}
}

// A file that root gave to another user is a difference: that user can change the mode, and then the file.
func TestCompareOwner(t *testing.T) {
	at := t.TempDir()
	if err := os.WriteFile(at+"/f", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	fd, err := openFolder(unix.AT_FDCWD, at)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	found, err := Survey(fd, Request{Owner: -1})
	if err == nil {
		err = Seal(fd, found, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if all, err := Compare(fd, found.Entries, "", 9); err != nil || len(all) > 0 {
		t.Fatal(all, err)
	}
	if os.Geteuid() != 0 || os.Lchown(at+"/f", 12345, 12345) != nil {
		return
	}
	if all, err := Compare(fd, found.Entries, "", 9); err != nil || len(all) != 1 || all[0].Path != "f" {
		t.Error(all, err)
	}
}
