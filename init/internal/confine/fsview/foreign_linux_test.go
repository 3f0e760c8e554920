package fsview

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A FUSE file system of another user's in a write grant, at which this user may not even look, keeps nobody from the rest
// of the grant: the server can use nothing there either. The grant of that file system itself is refused.
func TestMountOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("two users: only as root")
	}
	if !testbed.OwnMounts(t) {
		return
	}
	root := plant(t, "p/.git/config\n p/theirs/\n p/q/.vscode/\n home/")
	for _, at := range []string{"/p/theirs", "/p/q/.vscode"} {
		fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			testbed.Missing(t, "fuse", err.Error())
		}
		must(t, err)
		defer fuse.Close()
		// Nobody serves: whoever may not look has no answer to wait for.
		options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse.Fd())
		must(t, unix.Mount("theirs", root+at, "fuse", 0, options))
		defer func() { must(t, unix.Unmount(root+at, unix.MNT_DETACH)) }()
	}
	must(t, os.Chmod(filepath.Dir(root), 0o755))
	must(t, syscall.Setresuid(-1, testbed.Ordinary, -1))
	defer func() { must(t, syscall.Setresuid(-1, 0, -1)) }()
	if _, err := statx(root + "/p/theirs"); !errors.Is(err, unix.EACCES) {
		t.Fatalf("the control: %v", err)
	}
	v, err := Plan(wish{write: []string{"T/p"}}.request(root))
	must(t, err)
	same(t, "covers", covers(v, root), lines("frozen T/p/.git"))
	if _, err := Plan(wish{write: []string{"T/p/theirs"}}.request(root)); err == nil {
		t.Error("a grant of what nobody may look at is not refused")
	}
}
