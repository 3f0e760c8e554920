package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/machine"
)

// needed are the files that the rows use, and the packages of Debian 12 that have them. A user manager runs in the
// guest and its bus with it: the guest has the host's root, so they are installed here.
func needed() [][2]string {
	return [][2]string{
		{machine.QEMU, "qemu-system-x86"}, {machine.VirtioFSD, "qemu-system-common"},
		{"xz", "xz-utils"}, {"dpkg-deb", "dpkg"}, {"/sbin/modprobe", "kmod"}, {"cpio", "cpio"},
		{"/sbin/sfdisk", "fdisk"}, {"/sbin/mkfs.ext4", "e2fsprogs"}, {"/sbin/ip", "iproute2"},
		{"/lib/systemd/systemd", "systemd"},
		{"/usr/bin/dbus-daemon", "dbus"}, {"/usr/share/dbus-1/system.conf", "dbus"},
		{"/usr/lib/systemd/user/dbus.socket", "dbus-user-session"},
	}
}

// missing are the packages of what is not there.
func missing(have func(file string) bool) []string {
	var packages []string
	for _, need := range needed() {
		if !have(need[0]) && !slices.Contains(packages, need[1]) {
			packages = append(packages, need[1])
		}
	}
	return packages
}

// have finds a program by its name in PATH, and any file by its path.
func have(file string) bool {
	if filepath.IsAbs(file) {
		_, err := os.Stat(file)
		return err == nil
	}
	_, err := exec.LookPath(file)
	return err == nil
}

// install gets by apt what is missing, and says so.
func install(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("the root that a guest sees is served by root: run it as root")
	}
	packages := missing(have)
	if packages == nil {
		return nil
	}
	fmt.Println("kernels: installing", strings.Join(packages, " "))
	if err := debian.Install(ctx, packages...); err != nil {
		return err
	}
	if still := missing(have); still != nil {
		return fmt.Errorf("%q: installed, and not all files are there: are these Debian 12's?", still)
	}
	return nil
}
