//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
)

// Foresee says what Open would, and makes nothing.
func TestForesee(t *testing.T) {
	base, me := stage(t)
	if at, err := Foresee("acme", me); err != nil || at != base+"/mcp-sandbox/state/acme" {
		t.Errorf("before the first: %s, %v", at, err)
	}
	if _, err := os.Lstat(base); err == nil {
		t.Error("a folder was made")
	}
	root := filepath.Dir(opened(t, "acme", me))
	err := errors.Join(os.WriteFile(root+"/file", nil, 0o600), os.Symlink("acme", root+"/link"))
	if err != nil {
		t.Fatal(err)
	}
	for name, fits := range map[string]bool{"acme": true, "new": true, "file": false, "link": false} {
		at, err := Foresee(name, me)
		unfit := folder.Unfit("")
		if at != root+"/"+name || fits != (err == nil) || !fits && !errors.As(err, &unfit) {
			t.Errorf("%s: %s, %v", name, at, err)
		}
	}
	if os.Geteuid() != 0 || os.Lchown(root+"/acme", 4711, 4711) != nil {
		return
	}
	foreign := (*Foreign)(nil)
	if _, err := Foresee("acme", me); !errors.As(err, &foreign) {
		t.Errorf("another user's: %v", err)
	}
	if _, err := Foresee("acme", Owner{UID: 4711, GID: 4711, Chown: true}); err != nil {
		t.Errorf("that user's own: %v", err)
	}
}
