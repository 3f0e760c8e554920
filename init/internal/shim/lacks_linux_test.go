package shim

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/launch"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A home that lasts lies on a disk of the host, whose room says nothing of the private files, wherever it stands among the
// private folders.
func TestFilesOfALastingHome(t *testing.T) {
	state, fresh := t.TempDir(), t.TempDir()
	s := &launch.Sandbox{Confinement: policy.Full, Server: os.Getpid(), View: &fsview.View{Capacity: fsview.Capacity{TmpSize: 1},
		Private: []fsview.Node{{Path: state, Kind: fsview.Bind}, {Path: fresh}}}}
	l := lacks{counters: -1, files: -1}
	l.openFiles(s)
	var opened, want unix.Stat_t
	if err := unix.Fstat(l.files, &opened); err != nil {
		t.Fatal(err)
	}
	unix.Close(l.files)
	if err := unix.Stat(fresh, &want); err != nil || opened.Ino != want.Ino || opened.Dev != want.Dev {
		t.Errorf("%v, opened %d:%d, want %d:%d", err, opened.Dev, opened.Ino, want.Dev, want.Ino)
	}
}
