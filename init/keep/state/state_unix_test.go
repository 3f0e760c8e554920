//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// stage gives a test a state folder of its own: base is where mcp-sandbox's folder is made.
func stage(t *testing.T) (base string, me Owner) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	base = filepath.Join(home, ".local/state")
	if _, err := os.Stat("/Library"); err == nil {
		base = filepath.Join(home, "Library/Application Support")
	}
	return base, Owner{UID: os.Geteuid(), GID: os.Getegid()}
}

// opened opens a state that is closed again.
func opened(t *testing.T, name string, o Owner) string {
	t.Helper()
	f, err := Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return f.Path
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestOpen(t *testing.T) {
	base, me := stage(t)
	old := unix.Umask(0o777)
	path := opened(t, "acme", me)
	unix.Umask(old)
	if want := base + "/mcp-sandbox/state/acme"; path != want {
		t.Fatalf("%s, not %s", path, want)
	}
	for at := path; at != base; at = filepath.Dir(at) {
		if m := mode(t, at); m != os.ModeDir|0o700 {
			t.Errorf("%s: %v", at, m)
		}
	}
	os.WriteFile(path+"/token", []byte("x"), 0o600)
	// What a server does to its own folder, and a user to those above.
	for _, m := range []uint32{0, 0o777, 0o7777, 0o4000, 0o1000} {
		unix.Chmod(path, m)
		unix.Chmod(filepath.Dir(path), 0o755)
		opened(t, "acme", me)
		if mode(t, path) != os.ModeDir|0o700 || mode(t, filepath.Dir(path)) != os.ModeDir|0o700 {
			t.Errorf("%o: %v, %v", m, mode(t, path), mode(t, filepath.Dir(path)))
		}
	}
	all, err := List()
	if err != nil || len(all) != 1 || all[0].Name != "acme" || all[0].Path != path || all[0].Bytes <= 0 || all[0].Used.IsZero() {
		t.Errorf("%+v, %v", all, err)
	}
}

// Where another user could rename the folder or one above, it is refused.
func TestOpenWhereOthersCanRename(t *testing.T) {
	base, me := stage(t)
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	opened(t, "acme", me)
	for _, c := range []struct {
		name  string
		mode  uint32
		gid   int
		fails bool
	}{
		{"world-writable", 0o777, me.GID, true},
		{"world-writable and sticky", 0o1777, me.GID, false},
		{"writable by a group", 0o775, me.UID + 1, true},
		{"writable by the user's own group", 0o775, me.UID, false},
	} {
		for _, at := range []string{base, filepath.Dir(base)} {
			if err := unix.Chown(at, -1, c.gid); err != nil {
				t.Logf("%s: %v", c.name, err) // an ordinary user has no other group
				continue
			}
			unix.Chmod(at, c.mode)
			f, err := Open("acme", me)
			f.Close()
			if unfit := folder.Unfit(""); c.fails != errors.As(err, &unfit) || !c.fails && err != nil {
				t.Errorf("%s, %s: %v", c.name, at, err)
			}
			unix.Chmod(at, 0o700)
		}
	}
}

// What lies in place of a state, of its lock or of the folders above is not followed.
func TestOpenInPlaceOfWhichIsSomethingElse(t *testing.T) {
	base, me := stage(t)
	elsewhere := t.TempDir()
	root := filepath.Dir(opened(t, "acme", me))
	os.WriteFile(elsewhere+"/lock", nil, 0o644)
	for _, name := range []string{"link", "file", "fifo", "locklink"} {
		switch at := filepath.Join(root, name); name {
		case "link":
			os.Symlink(elsewhere, at)
		case "file":
			os.WriteFile(at, nil, 0o600)
		case "fifo":
			unix.Mkfifo(at, 0o600)
		case "locklink":
			os.Symlink(elsewhere+"/lock", filepath.Join(root, "."+name))
		}
		if f, err := Open(name, me); err == nil {
			f.Close()
			t.Errorf("%s was opened", name)
		}
		if name != "locklink" {
			if err := Remove(name); err == nil || errors.Is(err, ErrNone) {
				t.Errorf("%s was removed: %v", name, err)
			}
		}
	}
	if mode(t, elsewhere+"/lock").Perm() != 0o644 {
		t.Error("the lock that a link led to was changed")
	}
	os.RemoveAll(base + "/mcp-sandbox")
	os.Symlink(elsewhere, base+"/mcp-sandbox")
	if f, err := Open("acme", me); err == nil {
		f.Close()
		t.Error("the product's folder was opened through a link")
	}
}

// A lock is shared by launches, and a removal waits for none of them.
func TestLocks(t *testing.T) {
	_, me := stage(t)
	one, err := Open("acme", me)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Open("acme", me)
	if err != nil {
		t.Fatalf("a second launch: %v", err)
	}
	for _, f := range []*Folder{one, two} {
		if err := Remove("acme"); !errors.Is(err, ErrInUse) {
			t.Errorf("removed while in use: %v", err)
		}
		f.Close()
	}
	root, _, err := openRoot(false)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(root)
	held, err := lock(root, "acme", unix.LOCK_EX)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open("acme", me); !errors.Is(err, ErrRemoving) {
		t.Errorf("opened while it is removed: %v", err)
	}
	unix.Close(held)
	if err := Remove("acme"); err != nil {
		t.Error(err)
	}
	if err := Remove("acme"); !errors.Is(err, ErrNone) {
		t.Errorf("removed twice: %v", err)
	}
	if names, _ := os.ReadDir(filepath.Dir(one.Path)); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

// Names that are no names of states are none, wherever they are tried, and other files of the folder are not listed.
func TestListShowsStatesAlone(t *testing.T) {
	_, me := stage(t)
	if all, err := List(); err != nil || len(all) != 0 {
		t.Errorf("before the first: %v, %v", all, err)
	}
	root := filepath.Dir(opened(t, "b", me))
	opened(t, "a", me)
	os.Mkdir(root+"/has space", 0o700)
	os.Symlink("/etc", root+"/link")
	os.WriteFile(root+"/file", nil, 0o600)
	all, err := List()
	names := []string{}
	for _, i := range all {
		names = append(names, i.Name)
	}
	if err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("%v, %v", names, err)
	}
}
