package state

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A folder of the product's that belongs to another user is refused: that user could change what lies in it.
func TestOwnFoldersOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to give a folder to another user")
	}
	base, me := stage(t)
	opened(t, "acme", me)
	for _, at := range []string{"/mcp-sandbox", "/mcp-sandbox/state"} {
		if err := os.Chown(base+at, 4711, 4711); err != nil {
			t.Fatal(err)
		}
		for _, create := range []bool{false, true} {
			fd, _, err := OpenOwn("state", create)
			unix.Close(fd)
			if unfit := folder.Unfit(""); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "user 4711 owns it") {
				t.Errorf("%s: %v", at, err)
			}
		}
		if err := os.Chown(base+at, 0, 0); err != nil {
			t.Fatal(err)
		}
		opened(t, "acme", me)
	}
}

// A place on another file system is refused: what is mounted there is not the server's state.
func TestPlaceOfAnotherFileSystem(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to mount")
	}
	_, me := stage(t)
	f, err := Open("acme", me)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	places := []Place{{Name: "n", Folder: true, Inner: true}, {Name: "n/deep", Folder: true}}
	if err := f.Make(me, places); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"/n/deep", "/n"} {
		if err := unix.Mount("none", f.Path+at, "tmpfs", 0, "mode=0700"); err != nil {
			t.Skip(err)
		}
		err := f.Make(me, places)
		unix.Unmount(f.Path+at, unix.MNT_DETACH)
		if unfit := folder.Unfit(""); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "another file system") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if err := f.Make(me, places); err != nil {
		t.Error(err)
	}
}
