package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
)

// insideArg is the argument with which this program runs an engine in namespaces of its own.
const insideArg = "inside"

// packages are an engine's, with the libraries of theirs that a Debian without engines has not got.
func packages(engine string) []string {
	if engine != "podman" {
		return strings.Fields("docker.io containerd runc libdevmapper1.02.1")
	}
	return strings.Fields("podman conmon runc golang-github-containers-common golang-github-containers-image libsubid4 libgpgme11 libassuan0 libdevmapper1.02.1")
}

// engineGroup tries containers of an engine. It has its own mounts, process ids, network and control groups, so nothing of
// it is left when its first process ends.
func engineGroup(engine string) func(context.Context, *bench, *regexp.Regexp) (*told, error) {
	return func(ctx context.Context, b *bench, only *regexp.Regexp) (*told, error) {
		root, err := debian.Unpack(ctx, b.cache, packages(engine)...)
		if err != nil {
			return nil, err
		}
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		groups, err := newControlGroup()
		if err != nil {
			return nil, err
		}
		defer groups.remove()
		work, err := os.MkdirTemp("/var/tmp", temporary) // no tmpfs: an engine's overlays have their files there
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(work)
		runtime.LockOSThread() // with which the engine ends
		defer runtime.UnlockOSThread()
		var out, said bytes.Buffer
		cmd := exec.CommandContext(ctx, "/usr/bin/unshare", "--mount", "--pid", "--fork", "--mount-proc", "--net", "--ipc", "--uts", "--cgroup",
			"--kill-child", self, insideArg, engine, root, only.String())
		cmd.Dir = b.checkout
		cmd.Env = append(os.Environ(), stageEnv+"="+b.stage, workEnv+"="+work)
		cmd.Stdout, cmd.Stderr = &out, &said
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(groups.folder.Fd()), Pdeathsig: syscall.SIGKILL}
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, said.String())
		}
		t := new(told)
		if err := json.Unmarshal(out.Bytes(), t); err != nil {
			return nil, fmt.Errorf("%w: %s", err, said.String())
		}
		return t, nil
	}
}

// A controlGroup is one of version 2 in which an engine makes its own.
type controlGroup struct{ folder *os.File }

func newControlGroup() (*controlGroup, error) {
	top := "/sys/fs/cgroup"
	var st unix.Statfs_t
	if err := unix.Statfs(top, &st); err != nil {
		return nil, &os.PathError{Op: "statfs", Path: top, Err: err}
	}
	if st.Type != unix.CGROUP2_SUPER_MAGIC {
		top += "/unified" // as systemd mounts version 2 beside version 1
	}
	if err := unix.Statfs(top, &st); err != nil || st.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil, errors.New("no control groups of version 2 at " + top + ": an engine needs them")
	}
	dir, err := os.MkdirTemp(top, "mcp-sandbox-places-")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		os.Remove(dir)
		return nil, err
	}
	return &controlGroup{f}, nil
}

// remove takes away the group and those that engines left below it.
func (g *controlGroup) remove() {
	var all []string
	filepath.WalkDir(g.folder.Name(), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	for i := len(all) - 1; i >= 0; i-- {
		os.Remove(all[i])
	}
	g.folder.Close()
}
