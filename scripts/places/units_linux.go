package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// guestKernel is Debian 12's own, with its own systemd.
const guestKernel = "6.1"

// units tries units in one virtual machine. Its kernel, its root and systemd are command kernels' affair.
func units(ctx context.Context, b *bench, only *regexp.Regexp) (*told, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(b.stage, "bin", "kernels"), "exec", "-kernel", guestKernel, "-place", "manager",
		filepath.Join(b.stage, "bin", "units"), b.stage, only.String())
	cmd.Dir = b.checkout
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
	return &told{Versions: first + ", Linux " + guestKernel, Accounts: accounts}, nil
}
