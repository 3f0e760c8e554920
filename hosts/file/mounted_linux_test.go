package file

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that is a mount of its own cannot be replaced: the old text stays, and the error says why.
func TestMountedFile(t *testing.T) {
	if os.Getenv("FILE_TEST_MOUNTED") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMountedFile$", "-test.v")
		cmd.Env = append(os.Environ(), "FILE_TEST_MOUNTED=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if os.Geteuid() != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
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
