package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// bound ends a child with the thread that started it, prctl(2): killing this program leaves no machine running.
func bound() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// serve starts the daemon that shows the host's root to one machine. Its socket listens already: QEMU need not wait for
// it, and the daemon makes no file below /run, as it does for each socket of its own.
func serve(ctx context.Context, socket string, output io.Writer) (*exec.Cmd, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	f := os.NewFile(uintptr(fd), socket)
	defer f.Close()
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: socket}), unix.Listen(fd, 1)); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	cmd := exec.CommandContext(ctx, VirtioFSD, "--fd=3", "-o", "source=/,cache=always,sandbox=chroot")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles, cmd.SysProcAttr = output, output, []*os.File{f}, bound()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("virtiofsd: %w", err)
	}
	return cmd, nil
}
