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
	cmd  *exec.Cmd
	said bytes.Buffer
}

// serve starts it. It is given a socket that already listens: QEMU need not wait for it, and it leaves no file below
// /run, as it does for each socket that it makes itself.
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
	d.cmd.Stdout, d.cmd.Stderr = &d.said, &d.said
	d.cmd.ExtraFiles, d.cmd.SysProcAttr = []*os.File{f}, bound()
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("virtiofsd: %w", err)
	}
	return d, nil
}

// stop ends it and returns what it complained of.
func (d *daemon) stop() string {
	d.cmd.Process.Kill()
	d.cmd.Wait()
	return d.said.String()
}
