package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// guestKernel is Debian 12's own, with its own systemd.
const guestKernel = "6.1"

// systemd tries units in one virtual machine, which command kernels boots.
func (b *bench) systemd(ctx context.Context, _, only string) (*outcome, error) {
	var out bytes.Buffer
	bin := filepath.Join(b.Dir, "bin")
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "kernels"), "exec", "-kernel", guestKernel, "-place", "manager",
		filepath.Join(bin, "units"), b.Dir, only)
	cmd.Dir = b.Checkout
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its machine
	cmd.Stdout = &out
	if b.verbose {
		cmd.Stdout = io.MultiWriter(&out, os.Stderr)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out.String())
	}
	accounts, err := table.Read(out.String())
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out.String())
	}
	version, _ := exec.CommandContext(ctx, "/lib/systemd/systemd", "--version").Output()
	first, _, _ := strings.Cut(string(version), "\n")
	return &outcome{Versions: first + ", Linux " + guestKernel, Accounts: accounts}, nil
}
