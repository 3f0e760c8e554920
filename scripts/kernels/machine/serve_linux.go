package machine

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// bound ends a child with the thread that started it, prctl(2): whoever kills this program leaves no machine running.
func bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// A daemon shows the host's root to one machine.
type daemon struct {
	cmd    *exec.Cmd
	output bytes.Buffer
}

// serve starts a daemon. Its socket listens already: QEMU need not wait for it, and the daemon makes no file below
// /run, as it does for each socket of its own.
func serve(ctx context.Context, socket string) (*daemon, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := syscall.SetNonblock(int(f.Fd()), false); err != nil { // the daemon waits in accept(2)
		return nil, os.NewSyscallError("fcntl", err)
	}
	const options = "source=/,cache=always,sandbox=chroot"
	d := &daemon{cmd: exec.CommandContext(ctx, VirtioFSD, "--fd=3", "-o", options)}
	d.cmd.Stdout, d.cmd.Stderr = &d.output, &d.output
	d.cmd.ExtraFiles, d.cmd.SysProcAttr = []*os.File{f}, bound()
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("virtiofsd: %w", err)
	}
	return d, nil
}

// stop kills the daemon and returns its output.
func (d *daemon) stop() string {
	d.cmd.Process.Kill()
	d.cmd.Wait()
	return d.output.String()
}
