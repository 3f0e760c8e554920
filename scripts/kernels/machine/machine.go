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
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The programs it starts.
const (
	QEMU      = "qemu-system-x86_64"
	VirtioFSD = "/usr/lib/qemu/virtiofsd"
)

// A Machine is what is booted.
type Machine struct {
	Kernel  string // the image
	Modules string // a folder of modules with a file "order"
	Guest   string // the program that becomes process 1
	Append  string // to the kernel's command line
}

// Run boots the machine and waits until it is off. Everything that the guest prints goes to out. The error is one of the
// machine; how the steps ended is in the status.
func (m *Machine) Run(ctx context.Context, j *job.Job, out io.Writer) (job.Status, error) {
	dir, err := os.MkdirTemp("", "mcp-sandbox-machine-")
	if err != nil {
		return job.Status{}, err
	}
	defer os.RemoveAll(dir)
	if err := m.initramfs(filepath.Join(dir, "initrd"), j); err != nil {
		return job.Status{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "disk"), nil, 0o600); err != nil {
		return job.Status{}, err
	}
	if err := os.Truncate(filepath.Join(dir, "disk"), diskSize); err != nil {
		return job.Status{}, err
	}
	stop, err := serve(ctx, filepath.Join(dir, "root"))
	if err != nil {
		return job.Status{}, err
	}
	defer stop()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, QEMU, m.arguments(dir, hasKVM())...)
	cmd.Stdout, cmd.Stderr = &plain{out}, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	text, readErr := os.ReadFile(filepath.Join(dir, "status"))
	if err := errors.Join(ctx.Err(), err, readErr); err != nil {
		return job.Status{}, fmt.Errorf("qemu: %w\n%s", err, said.Bytes())
	}
	status, err := job.ParseStatus(bytes.NewReader(text))
	if err == nil && !status.Done {
		err = errors.New("status: the guest did not come to its end")
	}
	return status, err
}

// initramfs writes what the kernel unpacks: process 1, its job and the modules.
func (m *Machine) initramfs(path string, j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	guest, err := os.ReadFile(m.Guest)
	if err != nil {
		return err
	}
	a := newArchive()
	a.file("init", guest)
	a.file("job.json", text)
	entries, err := os.ReadDir(m.Modules)
	if err != nil {
		return err
	}
	for _, e := range entries {
		module, err := os.ReadFile(filepath.Join(m.Modules, e.Name()))
		if err != nil {
			return err
		}
		a.file("modules/"+e.Name(), module)
	}
	return os.WriteFile(path, a.bytes(), 0o600)
}

// serve starts the daemon that shows the host's root, and waits for its socket.
func serve(ctx context.Context, socket string) (stop func(), err error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, VirtioFSD, "--socket-path="+socket, "-o", "source=/", "-o", "cache=always", "-o", "sandbox=chroot")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	for range 250 {
		if _, err = os.Stat(socket); err == nil {
			return stop, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("virtiofsd: %w\n%s", err, said.Bytes())
}

// plain takes out the carriage returns of a serial line.
type plain struct{ to io.Writer }

func (p *plain) Write(b []byte) (int, error) {
	if _, err := p.to.Write(bytes.ReplaceAll(b, []byte("\r"), nil)); err != nil {
		return 0, err
	}
	return len(b), nil
}
