package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/machine"
)

// packages are Debian 12's that the rows use. A user manager runs in the guest and its bus with it: the guest has the
// host's root, so they are installed here.
const packages = "qemu-system-x86 qemu-system-common xz-utils kmod cpio fdisk e2fsprogs iproute2 " +
	"systemd dbus dbus-user-session"

// install gets by apt the packages of which one is missing, and says so.
func install(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("the root that a guest sees is served by root: run it as root")
	}
	names := strings.Fields(packages)
	if !installed(ctx, names) {
		fmt.Println("kernels: installing", packages)
		if err := debian.Install(ctx, names...); err != nil {
			return err
		}
	}
	if _, err := os.Stat(machine.VirtioFSD); err != nil {
		return fmt.Errorf("%w: this takes the virtiofsd of QEMU 7, as Debian 12 has it", err)
	}
	return nil
}

// installed reports whether dpkg has all packages; of one that it does not know dpkg-query fails.
func installed(ctx context.Context, names []string) bool {
	words := append([]string{"--show", "--showformat=${db:Status-Status} "}, names...)
	states, err := exec.CommandContext(ctx, "dpkg-query", words...).Output()
	other := func(state string) bool { return state != "installed" }
	return err == nil && !slices.ContainsFunc(strings.Fields(string(states)), other)
}
