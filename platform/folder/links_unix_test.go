//go:build darwin || linux

package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A link on the way counts as a folder does: who can change the link can have the path lead elsewhere, also where both
// ends are this user's.
func TestLinksOfOthers(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	for folder, mode := range map[string]os.FileMode{"mine": 0o700, "open": 0o777, "sticky": 0o777 | os.ModeSticky} {
		err := errors.Join(os.Mkdir(at(folder), 0o700), os.Chmod(at(folder), mode))
		err = errors.Join(err, os.Symlink(at("mine"), at(folder+"/link")), os.Symlink("../mine", at(folder+"/relative")),
			os.Symlink("../open/link", at(folder+"/twice")), os.Symlink("loop", at(folder+"/loop")))
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"mine/link": "mine", "mine/link/a/b": "mine/a/b", "mine/relative/a": "mine/a",
		"sticky/link": "mine", "open/link": "", "open/relative": "", "mine/twice/a": "", "sticky/twice": "", "mine/loop": ""} {
		real, err := Resolve(at(path))
		unfit := Unfit("")
		switch {
		case want != "" && (err != nil || real != at(want)):
			t.Errorf("%s: %q, %v", path, real, err)
		case want == "" && (err == nil || path != "mine/loop" && !errors.As(err, &unfit)):
			t.Errorf("%s: %q, %v", path, real, err)
		}
	}
	if os.Geteuid() != 0 || os.Lchown(at("sticky/link"), 12345, 12345) != nil {
		return
	}
	if real, err := Resolve(at("sticky/link")); err == nil {
		t.Errorf("another user's link leads to %q", real)
	}
}
