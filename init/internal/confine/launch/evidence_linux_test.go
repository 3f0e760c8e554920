package launch

import (
	"errors"
	"os"
	"path"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// afterInit is an attempt whose init's rows were compared: there are none, and the mounts are this process's.
func afterInit(t *testing.T) *Attempt {
	t.Helper()
	a := &Attempt{Sandbox: Sandbox{launch: new(Launch), Confinement: policy.Full, View: new(fsview.View),
		Init: Init{PID: os.Getpid(), FD: -1}, kept: kept{mounts: -1}}}
	a.Program = layers.NewLayout(make([]byte, program.Size), new(policy.Policy), policy.Full, false)
	if compareInit(a); a.early.found == nil {
		t.Fatal("nothing was compared")
	}
	return a
}

// Where the table of mounts changes behind the comparison of init's rows it is read again, and all is compared anew.
func TestMountsChangeBehindComparison(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	first, second, bound := t.TempDir(), t.TempDir()+"/above/mount", t.TempDir()
	if err := os.MkdirAll(second, 0o755); err != nil {
		t.Fatal(err)
	}
	defer func() { // before the folders are removed
		for range 3 {
			unix.Unmount(first, unix.MNT_DETACH)
			unix.Unmount(second, unix.MNT_DETACH)
		}
	}()
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"nothing", func() error { return nil }},
		{"mount", func() error { return unix.Mount("none", first, "tmpfs", 0, "") }},
		{"remount", func() error { return unix.Mount("", first, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOSUID, "") }},
		{"mount_setattr", func() error {
			err := unix.MountSetattr(unix.AT_FDCWD, first, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOEXEC})
			if errors.Is(err, unix.ENOSYS) { // Linux 5.12
				err = unix.Mount("", first, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_NOEXEC, "")
			}
			return err
		}},
		{"bind", func() error { return unix.Mount(bound, first, "", unix.MS_BIND, "") }},
		{"move", func() error { return unix.Mount(first, second, "", unix.MS_MOVE, "") }},
		{"propagation", func() error { return unix.Mount("", second, "", unix.MS_SHARED, "") }},
		{"rename above", func() error { return os.Rename(path.Dir(second), path.Dir(second)+".renamed") }},
		{"rename back", func() error { return os.Rename(path.Dir(second)+".renamed", path.Dir(second)) }},
		{"umount", func() error { return unix.Unmount(second, unix.MNT_DETACH) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := afterInit(t)
			defer closeAll([]int{a.kept.mounts})
			before := a.early
			if err := errors.Join(c.change(), readTable(a)); err != nil {
				t.Fatal(err)
			}
			table, err := platform.ReadSmall(mountsPath(&a.Sandbox), 8<<20)
			if err != nil {
				t.Fatal(err)
			}
			now, err := platform.ParseMountinfo(table)
			if err != nil || !slices.Equal(a.early.evidence.Mounts, now) {
				t.Errorf("%v: %v is compared, and the table is %v", err, a.early.evidence.Mounts, now)
			}
			same := slices.Equal(now, before.evidence.Mounts)
			if same != (c.name == "nothing") || same != (a.early.found != nil) {
				t.Errorf("the table is the same: %v, and the comparison counts: %v", same, a.early.found != nil)
			}
			if a.kept.mounts >= 0 {
				t.Error("the table is still open")
			}
		})
	}
}
