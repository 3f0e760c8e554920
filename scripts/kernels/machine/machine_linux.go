// Package machine boots a Linux kernel in QEMU with the host's own root and runs a job there.
//
//	m := machine.Machine{Kernel: "vmlinuz-6.12", Modules: "m/6.12", Guest: "guest"}
//	status, err := m.Run(ctx, &j, os.Stdout)
//
// A run takes three to five seconds without KVM. Root is needed for virtiofsd, the daemon of QEMU 7 that serves the
// root. The guest cannot change the host's files.
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
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

// The programs it starts.
const (
	qemu      = "qemu-system-x86_64"
	VirtioFSD = "/usr/lib/qemu/virtiofsd"
)

// A Machine is what is booted.
type Machine struct {
	Kernel  string        // the image
	Modules string        // a folder of modules, loaded in the order of their names
	Guest   string        // the program that becomes process 1; files of the machine's lie beside it
	Append  string        // to the kernel's command line
	Silence time.Duration // after which it is given up when it prints nothing; 0: never
}

// Run boots the machine and waits until it is off. Everything that the guest prints goes to out. The error is one of
// the machine; how the steps ended is in the status, which holds those that did whatever the error is.
func (m *Machine) Run(ctx context.Context, j *job.Job, out io.Writer) (job.Status, error) {
	dir, err := os.MkdirTemp(filepath.Dir(m.Guest), "machine-")
	if err != nil {
		return job.Status{}, err
	}
	defer os.RemoveAll(dir)
	if err := m.files(ctx, dir, j); err != nil {
		return job.Status{}, err
	}
	ctx, w := newWatch(ctx, out, m.Silence)
	defer w.stop()
	runtime.LockOSThread() // with which its children end
	defer runtime.UnlockOSThread()
	var output, stderr bytes.Buffer
	root, err := serve(ctx, filepath.Join(dir, "root"), &output)
	if err != nil {
		return job.Status{}, err
	}
	cmd := exec.CommandContext(ctx, qemu, m.arguments(dir, hasKVM())...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = w, &stderr, bound()
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	root.Process.Kill()
	root.Wait()
	text, readErr := os.ReadFile(filepath.Join(dir, "status"))
	status, parseErr := job.ParseStatus(bytes.NewReader(text))
	if cause := context.Cause(ctx); cause != nil { // the rest follows from that
		return status, fmt.Errorf("the machine was given up: %w", cause)
	}
	if err := errors.Join(err, readErr); err != nil {
		return status, fmt.Errorf("qemu: %w\n%s%s", err, stderr.Bytes(), output.Bytes())
	}
	return status, parseErr
}

// makeFiles is a shell script that makes an empty disk and what the kernel unpacks: process 1, its job and the modules.
const makeFiles = `umask 077
mkdir tree
cp -r "$1" tree/modules
cp "$0" tree/init
mv job.json tree
truncate --size=1G disk
cd tree
find . | cpio --quiet --create --format=newc >../initrd`

// files makes in dir what QEMU is started with.
func (m *Machine) files(ctx context.Context, dir string, j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "job.json"), text, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-euc", makeFiles, m.Guest, m.Modules)
	cmd.Dir = dir
	return stage.Run(cmd)
}
