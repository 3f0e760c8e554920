package file

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A file that is a mount of its own cannot be replaced: the old text stays, and the error says why.
func TestMountedFile(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	path := plant(t, "old")
	must(t, unix.Mount(path, path, "", unix.MS_BIND, ""))
	defer func() { must(t, unix.Unmount(path, unix.MNT_DETACH)) }()
	target, err := At(path)
	must(t, err)
	if _, err = target.Change(ours); !errors.Is(err, errMounted) || !strings.Contains(err.Error(), "paste the new lines") {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if left := leftovers(t, path); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
