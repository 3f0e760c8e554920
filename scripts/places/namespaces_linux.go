package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// insideArg is the argument with which this program runs an engine in namespaces of its own.
const insideArg = "inside"

// enter mounts what an engine needs of its own: a /run, and the control groups of its namespace. Its processes go
// into a group below the namespace's, in which the controllers can then be turned on for containers; cgroups(7).
const enter = `mount -t tmpfs -o mode=755 tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir /sys/fs/cgroup/engine
echo 0 >/sys/fs/cgroup/engine/cgroup.procs
exec "$@"`

// packages are an engine's, with the libraries that a Debian without engines has not got.
func packages(engine string) []string {
	if engine == table.Podman {
		return []string{"podman", "conmon", "runc", "golang-github-containers-common", "golang-github-containers-image",
			"libsubid4", "libgpgme11", "libassuan0", "libdevmapper1.02.1"}
	}
	return []string{"docker.io", "containerd", "runc", "libdevmapper1.02.1"}
}

// engine tries containers. The engine has its own mounts, process ids, network and control groups, so nothing of it is
// left when its first process ends.
func (b *bench) engine(ctx context.Context, group, only string) (*outcome, error) {
	root, err := debian.Unpack(ctx, filepath.Join(b.Checkout, ".cache", "places"), packages(group)...)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("/var/tmp", temporary) // no tmpfs: an engine's overlays have their files there
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	controlGroup, err := os.MkdirTemp(place.V2(), temporary)
	if err != nil {
		return nil, fmt.Errorf("an engine needs control groups of version 2: %w", err)
	}
	defer exec.Command("find", controlGroup, "-depth", "-type", "d", "-delete").Run() // and what an engine left below
	folder, err := os.Open(controlGroup)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	runtime.LockOSThread() // with which the engine ends
	defer runtime.UnlockOSThread()
	var stdout, stderr bytes.Buffer
	words := strings.Fields("--mount --pid --fork --mount-proc --net --ipc --uts --cgroup --kill-child /bin/sh -euc")
	words = append(words, enter, "sh", self, insideArg, group, root, b.Dir, work, only)
	cmd := exec.CommandContext(ctx, "/usr/bin/unshare", words...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.Checkout, &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd()), Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	o := new(outcome)
	if err := json.Unmarshal(stdout.Bytes(), o); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	return o, nil
}
