//go:build darwin || linux

package installed

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// aPackage makes the folder of one in a store of the test's own.
func aPackage(tb testing.TB) string {
	tb.Helper()
	home, err := filepath.EvalSymlinks(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Setenv("HOME", home)
	tb.Setenv("XDG_DATA_HOME", "")
	p, err := places.Of(os.Getenv)
	if err != nil {
		tb.Fatal(err)
	}
	at := p.Store() + "/npm/@scope/name/1.2.3-0123456789ab"
	if err := os.MkdirAll(at, 0o700); err != nil {
		tb.Fatal(err)
	}
	return at
}

func goOn() error { return nil }

// A package is locked shared while it is open, and not while somebody else has the lock alone.
func TestLock(t *testing.T) {
	at := aPackage(t)
	first, err := Open(at, os.Geteuid(), goOn)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open(at, os.Geteuid(), goOn)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	alone := func() error { return unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
	for i, f := range []*Folder{first, second, nil} {
		if err := alone(); (err == nil) != (f == nil) {
			t.Errorf("after %d were closed: %v", i, err)
		}
		f.Close()
	}
	if _, err := Open(at, os.Geteuid(), goOn); !errors.Is(err, ErrRemoving) {
		t.Errorf("while it is removed: %v", err)
	}
	end := errors.New("asked to end")
	if _, err := Open(at, os.Geteuid(), func() error { return end }); !errors.Is(err, end) {
		t.Errorf("asked to end meanwhile: %v", err)
	}
}

// What is no folder of this user's store, or is reached through a link there, is not opened.
func TestRefused(t *testing.T) {
	at := aPackage(t)
	link := filepath.Dir(at) + "/link"
	if err := os.Symlink(at, link); err != nil {
		t.Fatal(err)
	}
	for path, stage := range map[string]bool{link: true, filepath.Dir(filepath.Dir(filepath.Dir(at))): true, "/etc": true, at + "/none": true,
		at + "/../x": true, "": true, at: false} {
		f, err := OpenStage(path, os.Geteuid())
		if (err != nil) != stage {
			t.Errorf("stage %q: %v", path, err)
		}
		f.Close()
		f, err = Open(path, os.Geteuid(), goOn)
		if (err != nil) != stage {
			t.Errorf("package %q: %v", path, err)
		}
		f.Close()
	}
	if _, err := OpenStage(at, os.Geteuid()+1); err == nil {
		t.Error("a stage of another user than the server")
	}
}
