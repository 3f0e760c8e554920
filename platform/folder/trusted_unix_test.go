//go:build darwin || linux

package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that somebody else can change, or replace by another, is not trusted, whichever part of its path lets him.
func TestTrustedFile(t *testing.T) {
	const other = 4711
	own := os.Geteuid()
	for _, c := range []struct {
		name   string
		owner  int // of what at is; -1 for this user
		at     string
		mode   os.FileMode
		ok     bool
		isRoot bool // only root can make it so
	}{
		{"as made", -1, "a/b/file", 0o644, true, false},
		{"a group with this user's number", -1, "a/b/file", 0o664, true, false},
		{"all may write", -1, "a/b/file", 0o646, false, false},
		{"a folder all may write", -1, "a/b", 0o757, false, false},
		{"with a sticky bit", -1, "a/b", os.ModeSticky | 0o777, true, false},
		{"a folder above", -1, "a", 0o757, false, false},
		{"another's file", other, "a/b/file", 0o644, false, true},
		{"another's file that he may not write", other, "a/b/file", 0o444, false, true},
		{"another's folder", other, "a/b", 0o755, false, true},
		{"another's folder above", other, "a", 0o755, false, true},
		{"another's link to the file", other, "link", 0, false, true},
		{"root's", 0, "a/b", 0o755, true, true},
	} {
		if c.isRoot && own != 0 {
			continue
		}
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(top, "a/b/file")
		err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644),
			os.Symlink("a/b/file", filepath.Join(top, "link")))
		at := filepath.Join(top, c.at)
		err = errors.Join(err, os.Lchown(filepath.Join(top, "a/b/file"), own, own))
		if c.owner >= 0 {
			err = errors.Join(err, os.Lchown(at, c.owner, c.owner))
		}
		if c.mode != 0 {
			err = errors.Join(err, os.Chmod(at, c.mode))
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{file, filepath.Join(top, "link")} {
			if path == file && c.at == "link" {
				continue
			}
			err := TrustedFile(path)
			if _, unfit := errors.AsType[Unfit](err); unfit == c.ok || c.ok && err != nil {
				t.Errorf("%s: %s: %v", c.name, path, err)
			}
		}
	}
	if err := TrustedFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A path can go up from a folder in whose place another user puts a link.
func TestTrustedUpAgain(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	at := top + "/open/folder/../../file"
	err = errors.Join(err, os.MkdirAll(top+"/open/folder", 0o755), os.WriteFile(top+"/file", nil, 0o644))
	if err = errors.Join(err, TrustedFile(at), os.Chmod(top+"/open", 0o757)); err != nil {
		t.Fatal(err)
	}
	if _, unfit := errors.AsType[Unfit](TrustedFile(at)); !unfit || TrustedFile(top+"/file") != nil {
		t.Error(TrustedFile(at), TrustedFile(top+"/file"))
	}
}
