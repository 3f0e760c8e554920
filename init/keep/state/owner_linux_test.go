package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A root launcher gives the folder to the server's user, and a state is that user's alone.
func TestOwners(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to give a folder to another user")
	}
	base, _ := stage(t)
	first, second := Owner{UID: 4711, GID: 4712, Chown: true}, Owner{UID: 4713, GID: 4713, Chown: true}
	f, err := Open("acme", first)
	if err != nil {
		t.Fatal(err)
	}
	places := []Place{{Name: "d", Folder: true, Inner: true}, {Name: "d/e", Folder: true}, {Name: "f"}}
	if err := f.Make(first, places); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, at := range []string{"", "/d", "/d/e", "/f"} {
		var st unix.Stat_t
		if err := unix.Lstat(f.Path+at, &st); err != nil || st.Uid != 4711 || st.Gid != 4712 {
			t.Errorf("%s: %d:%d, %v", at, st.Uid, st.Gid, err)
		}
	}
	for at, want := range map[string]uint32{filepath.Dir(f.Path): 0, base + "/mcp-sandbox": 0} {
		var st unix.Stat_t
		if unix.Lstat(at, &st); st.Uid != want {
			t.Errorf("%s: %d", at, st.Uid)
		}
	}
	foreign := (*Foreign)(nil)
	if f, err := Open("acme", second); !errors.As(err, &foreign) {
		f.Close()
		t.Errorf("another user's state: %v", err)
	}
	f, err = Open("acme", first)
	if err != nil {
		t.Fatal(err)
	}
	os.Mkdir(f.Path+"/theirs", 0o700)
	unix.Chown(f.Path+"/theirs", 4713, 4713)
	if err := f.Make(first, []Place{{Name: "theirs", Folder: true}}); !errors.As(err, &foreign) {
		t.Errorf("a place of another user: %v", err)
	}
	f.Close()
	// A file that cannot be removed is named.
	if err := os.Mkdir(f.Path+"/mounted", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", f.Path+"/mounted", "tmpfs", 0, ""); err != nil {
		t.Skip(err)
	}
	left := (*Left)(nil)
	if err := Remove("acme"); !errors.As(err, &left) || len(left.Paths) != 1 || left.Paths[0] != f.Path+"/mounted" || left.Err == nil {
		t.Errorf("what cannot be removed: %v", err)
	}
	unix.Unmount(f.Path+"/mounted", unix.MNT_DETACH)
	if err := Remove("acme"); err != nil {
		t.Error(err)
	}
	// Another user's folder in the place of the home's.
	unix.Chown(base, 4711, 4711)
	if f, err := Open("acme", first); err == nil {
		f.Close()
		t.Error("opened below another user's folder")
	}
}

// A full disk refuses a new state, and no old one.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to mount")
	}
	base, me := stage(t)
	os.MkdirAll(base, 0o700)
	if err := unix.Mount("none", base, "tmpfs", 0, "size=64k,nr_inodes=16,mode=0700"); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(base, unix.MNT_DETACH)
	path := opened(t, "acme", me)
	for i := range 20 {
		if os.WriteFile(filepath.Join(path, string(rune('a'+i))), make([]byte, 4096), 0o600) != nil {
			break
		}
	}
	opened(t, "acme", me)
	if f, err := Open("new", me); !errors.Is(err, unix.ENOSPC) {
		f.Close()
		t.Errorf("a new one: %v", err)
	}
	if err := Remove("acme"); err != nil {
		t.Error(err)
	}
	opened(t, "new", me)
}

// Where a folder cannot be made the error is that of the attempt, and says what to type.
func TestWhereNoFolderCanBeMade(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/sys/kernel/none")
	fd, _, err := OpenOwn("state", true)
	if err == nil {
		unix.Close(fd)
		t.Fatal("a folder was made in /sys/kernel")
	}
	if errors.Is(err, unix.ENOENT) || !strings.Contains(err.Error(), "/sys/kernel/none") ||
		!strings.Contains(err.Error(), "export them, then exec $SHELL") {
		t.Error(err)
	}
}
