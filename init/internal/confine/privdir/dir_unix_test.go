//go:build darwin || linux

package privdir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var asked = Request{Folders: []string{"home", "tmp"}, File: "file", UID: os.Getuid(), GID: os.Getgid()}

// What the server makes of its folders is removed with the folder: closed ones, deep ones, and links, but not what they lead to.
func TestRemove(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	if err := os.Chmod(base, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := base + "/kept"
	os.WriteFile(kept, nil, 0o600)
	d, err := Make(asked)
	if err != nil {
		t.Fatal(err)
	}
	deep := d.Path + "/home" + strings.Repeat("/d", 1000)
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.WriteFile(deep+"/file", nil, 0), os.Symlink(base, d.Path+"/tmp/link"), os.Link(kept, d.Path+"/tmp/hard"),
		os.Chmod(deep, 0), os.Chmod(d.Path+"/home", 0), os.Chmod(d.Path+"/tmp", 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.Remove(AtEnd(nil))
	if names := list(t, base); len(names) != 1 || names[0] != "kept" || d.FD() != -1 {
		t.Errorf("left: %q, descriptor %d", names, d.FD())
	}
}

// A folder that nobody has locked is of a launcher that was killed: the next launch removes it, and no other.
func TestSweep(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	os.Chmod(base, 0o700)
	living, err := Make(asked)
	if err != nil {
		t.Fatal(err)
	}
	defer living.Remove(AtEnd(nil))
	dead, err := Make(asked)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(dead.FD())
	os.Mkdir(base+"/"+Prefix+"somebody", 0o700)
	next, err := Make(asked)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Remove(AtEnd(nil))
	want := map[string]bool{filepath.Base(living.Path): true, filepath.Base(next.Path): true, Prefix + "somebody": true}
	names := list(t, base)
	for _, name := range names {
		if !want[name] {
			t.Errorf("%s is left", name)
		}
	}
	if len(names) != len(want) {
		t.Errorf("%q, want %d folders", names, len(want))
	}
}

// The modes of the folder are the same with every umask.
func TestUmask(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	os.Chmod(base, 0o700)
	for _, umask := range []int{0, 0o22, 0o77, 0o777} {
		old := unix.Umask(umask)
		d, err := Make(asked)
		unix.Umask(old)
		if err != nil {
			t.Fatalf("umask %o: %v", umask, err)
		}
		for name, want := range map[string]os.FileMode{"": 0o700, "/home": 0o700, "/tmp": 0o700, "/file": 0o644} {
			if st, err := os.Stat(d.Path + name); err != nil || st.Mode().Perm() != want {
				t.Errorf("umask %o: %q: %v, %v, want %v", umask, name, st.Mode(), err, want)
			}
		}
		d.Remove(AtEnd(nil))
	}
}

// The folder is not made where others could rename it.
func TestBases(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	for mode, fits := range map[os.FileMode]bool{0o700: true, 0o777: false, 0o777 | os.ModeSticky: true, 0o770: false} {
		if err := os.Chmod(base, mode); err != nil {
			t.Fatal(err)
		}
		d, err := Make(asked)
		if err != nil {
			t.Fatal(err)
		}
		if (filepath.Dir(d.Path) == base) != fits {
			t.Errorf("mode %v: made %s", mode, d.Path)
		}
		d.Remove(AtEnd(nil))
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := errors.Join(os.Chmod(base, 0o755), os.Chown(base, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	d, err := Make(asked)
	if err != nil || filepath.Dir(d.Path) == base {
		t.Errorf("another user's: made %s, %v", d.Path, err)
	}
	d.Remove(AtEnd(nil))
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}
