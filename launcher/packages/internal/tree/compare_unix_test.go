//go:build darwin || linux

package tree

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Each thing that was added, taken away or changed is a difference, of whatever kind it is.
func TestCompare(t *testing.T) {
	const own = "manifest"
	for _, c := range []struct {
		name   string
		change func(at string) error
		want   string // path: what; "": no difference
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"its own file", func(at string) error {
			return errors.Join(os.WriteFile(at+"/"+own, nil, 0o600), os.Chmod(at+"/"+own, 0o444))
		}, ""},
		{"a link in place of its own file", func(at string) error { return os.Symlink("f", at+"/"+own) }, "manifest: is of another kind"},
		{"a new link", func(at string) error { return os.Symlink("f", at+"/new") }, "new: was added"},
		{"a new link to nothing", func(at string) error { return os.Symlink("/none", at+"/d/new") }, "d/new: was added"},
		{"a new file", func(at string) error { return os.WriteFile(at+"/new", nil, 0o444) }, "new: was added"},
		{"a new folder", func(at string) error { return os.Mkdir(at+"/new", 0o555) }, "new: was added"},
		{"a new pipe", func(at string) error { return unix.Mkfifo(at+"/new", 0o444) }, "new: was added"},
		{"a link less", func(at string) error { return os.Remove(at + "/l") }, "l: is missing"},
		{"a file less", func(at string) error { return os.Remove(at + "/f") }, "f: is missing"},
		{"a link elsewhere", func(at string) error { return errors.Join(os.Remove(at+"/l"), os.Symlink("d", at+"/l")) }, "l: leads elsewhere"},
		{"a link for a file", func(at string) error {
			return errors.Join(os.Rename(at+"/f", at+"/d/g"), os.Symlink("d/g", at+"/f"))
		}, "d/g: was added"},
		{"a mode", func(at string) error { return os.Chmod(at+"/f", 0o744) }, "f: has the mode 744"},
		{"a size", func(at string) error {
			return errors.Join(os.Chmod(at+"/f", 0o644), os.WriteFile(at+"/f", []byte("longer"), 0), os.Chmod(at+"/f", 0o444))
		}, "f: has another size"},
		{"a content", func(at string) error {
			return errors.Join(os.Chmod(at+"/f", 0o644), os.WriteFile(at+"/f", []byte("TEXT"), 0), os.Chmod(at+"/f", 0o444))
		}, "f: has another content"},
	} {
		at := t.TempDir()
		fd := filled(t, at)
		found, err := Survey(fd, Request{Owner: -1})
		if err == nil {
			err = Seal(fd, found, nil)
		}
		if err == nil {
			err = errors.Join(os.Chmod(at, 0o755), os.Chmod(at+"/d", 0o755), c.change(at), os.Chmod(at+"/d", 0o555))
		}
		if err != nil {
			t.Fatal(c.name, err)
		}
		all, err := Compare(fd, found.Entries, own, 1)
		got := ""
		if len(all) > 0 {
			got = all[0].Path + ": " + all[0].What
		}
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
		os.Chmod(at+"/d", 0o755)
		unix.Close(fd)
	}
}

// filled fills a folder with one thing of each kind.
func filled(t *testing.T, at string) (fd int) {
	t.Helper()
	err := errors.Join(os.Mkdir(at+"/d", 0o755), os.WriteFile(at+"/f", []byte("text"), 0o644), os.Symlink("f", at+"/l"))
	if err != nil {
		t.Fatal(err)
	}
	if fd, err = openFolder(unix.AT_FDCWD, at); err != nil {
		t.Fatal(err)
	}
	return fd
}
