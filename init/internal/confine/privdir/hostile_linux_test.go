package privdir

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// The names by which folders are moved up are not to be guessed: a server that takes them keeps nothing.
func TestEmptyWhereNamesAreTaken(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"a/b/c", "x/y/z"} {
		os.MkdirAll(filepath.Join(dir, folder), 0o700)
	}
	for round := range 8 {
		for i := range 4 {
			name := "." + strconv.Itoa(round) + "." + strconv.Itoa(i)
			os.MkdirAll(filepath.Join(dir, name, "in"), 0o700)
		}
	}
	if left := emptied(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// One folder that cannot be emptied holds up no other.
func TestEmptyBesideAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to make another user's folder")
	}
	dir := t.TempDir()
	for i := range 20 {
		os.MkdirAll(filepath.Join(dir, strconv.Itoa(i), "in"), 0o700)
	}
	for _, i := range []string{"0", "7", "19"} { // one in each order of names
		if err := unix.Mount("none", filepath.Join(dir, i, "in"), "tmpfs", 0, ""); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { unix.Unmount(filepath.Join(dir, i, "in"), unix.MNT_DETACH) })
	}
	if left := emptied(t, dir); len(left) != 3 {
		t.Errorf("left: %v", left)
	}
}

// emptied empties a folder, and returns the names that are left.
func emptied(t *testing.T, dir string) (left []string) {
	top, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(top)
	folder.Empty(top, func() bool { return false })
	folder.Each(top, func(name string) bool { left = append(left, name); return true })
	return left
}
