// Package machine boots a Linux kernel in QEMU with the host's own root and runs a job there.
//
//	m := machine.Machine{Kernel: "vmlinuz-6.12", Modules: "m/6.12", Guest: "guest"}
//	status, err := m.Run(ctx, &j, os.Stdout)
//
// It takes three to five seconds without KVM. It needs root, for the daemon that serves the root, which is the one that
// QEMU 7 brings along. Nothing that happens in the guest changes the host's files.
package machine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The programs it starts.
const (
	qemu      = "qemu-system-x86_64"
	VirtioFSD = "/usr/lib/qemu/virtiofsd"
)

// Temporary is how the names of its folders begin in the one for temporary files.
const Temporary = "mcp-sandbox-machine-"

// A Machine is what is booted.
type Machine struct {
	Kernel  string        // the image
	Modules string        // a folder of modules, loaded in the order of their names
	Guest   string        // the program that becomes process 1
	Append  string        // to the kernel's command line
	Silence time.Duration // after which it is given up when it prints nothing; 0: never
}

// Run boots the machine and waits until it is off. Everything that the guest prints goes to out. The error is one of
// the machine; how the steps ended is in the status, which holds those that did whatever the error is.
func (m *Machine) Run(ctx context.Context, j *job.Job, out io.Writer) (job.Status, error) {
	dir, err := os.MkdirTemp("", Temporary)
	if err != nil {
		return job.Status{}, err
	}
	defer os.RemoveAll(dir)
	if err := m.initramfs(ctx, dir, j); err != nil {
		return job.Status{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "disk"), nil, 0o600); err != nil {
		return job.Status{}, err
	}
	if err := os.Truncate(filepath.Join(dir, "disk"), diskSize); err != nil {
		return job.Status{}, err
	}
	ctx, w := newWatch(ctx, &plain{out}, m.Silence)
	defer w.stop()
	runtime.LockOSThread() // with which its children end
	defer runtime.UnlockOSThread()
	root, err := serve(ctx, filepath.Join(dir, "root"))
	if err != nil {
		return job.Status{}, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, qemu, m.arguments(dir, hasKVM())...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = w, &stderr, bound()
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	stderr.WriteString(root.stop())
	text, readErr := os.ReadFile(filepath.Join(dir, "status"))
	status, parseErr := job.ParseStatus(bytes.NewReader(text))
	if cause := context.Cause(ctx); cause != nil { // the rest follows from that
		return status, fmt.Errorf("the machine was given up: %w", cause)
	}
	if err := errors.Join(err, readErr); err != nil {
		return status, fmt.Errorf("qemu: %w\n%s", err, stderr.Bytes())
	}
	return status, parseErr
}

// initramfs writes what the kernel unpacks: process 1, its job and the modules.
func (m *Machine) initramfs(ctx context.Context, dir string, j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	guest, err := os.ReadFile(m.Guest)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "initramfs")
	if err := os.CopyFS(filepath.Join(tree, "modules"), os.DirFS(m.Modules)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "job.json"), text, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "init"), guest, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "find . | cpio --quiet --create --format=newc >../initrd")
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cpio: %w: %s", err, out)
	}
	return nil
}
