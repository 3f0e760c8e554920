package main

import (
	_ "embed" // setup.sh
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// hostTag is the name under which the machine serves its root.
const hostTag = "hostroot"

// loadModules loads the modules of a folder, in the order of their names.
func loadModules(folder string) error {
	modules, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, m := range modules {
		f, err := os.Open(filepath.Join(folder, m.Name()))
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		f.Close()
		if err != nil && err != unix.EEXIST {
			return &os.PathError{Op: "finit_module", Path: m.Name(), Err: err}
		}
	}
	return nil
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return &os.PathError{Op: "mount " + kind, Path: target, Err: err}
	}
	return nil
}

// makeRoot lays memory over the host's root and moves there. pivot_root(2) does not leave an initramfs, so the mount is
// moved over it, as switch_root(8) does.
func makeRoot() error {
	if err := mount(hostTag, "/lower", "virtiofs", unix.MS_RDONLY, ""); err != nil {
		return err
	}
	if err := mount("upper", "/upper", "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir("/upper/over", 0o755), os.Mkdir("/upper/work", 0o755)); err != nil {
		return err
	}
	layers := "lowerdir=/lower,upperdir=/upper/over,workdir=/upper/work"
	if err := mount("root", "/newroot", "overlay", 0, layers); err != nil {
		return err
	}
	if err := os.Chdir("/newroot"); err != nil {
		return err
	}
	if err := mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return err
	}
	if err := unix.Chroot("."); err != nil {
		return &os.PathError{Op: "chroot", Path: "/newroot", Err: err}
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil { // as systemd leaves it
		return err
	}
	return mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// setup is a shell script for what is done by programs of the host's root.
//
//go:embed setup.sh
var setup string

func runSetup(j *job.Job) error {
	cmd := exec.Command("/bin/sh", "-euc", setup)
	manager := j.Place == job.Manager
	cmd.Env = []string{path, fmt.Sprint("HYBRID=", j.Hybrid), fmt.Sprint("MANAGER=", manager)}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("setup.sh: %w: %s", err, out)
	}
	return nil
}
