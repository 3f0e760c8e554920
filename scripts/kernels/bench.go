package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/machine"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A bench is what all rows share: the checkout, and a folder of programs built for them.
type bench struct {
	checkout, stage string
	verbose         bool
}

// rowTime bounds one machine, on a host that is busy.
const rowTime = 8 * time.Minute

func newBench(ctx context.Context) (*bench, error) {
	if err := install(ctx); err != nil {
		return nil, err
	}
	root, err := testbed.Root()
	if err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp("", "mcp-sandbox-kernels-")
	if err != nil {
		return nil, err
	}
	b := &bench{checkout: root, stage: stage}
	return b, b.goRun(ctx, "build", "-o", b.guest(), "./scripts/kernels/guest")
}

func (b *bench) close() { os.RemoveAll(b.stage) }

func (b *bench) guest() string { return filepath.Join(b.stage, "guest") }

// build builds what runs in the guests: the programs, and the tests of every suite.
func (b *bench) build(ctx context.Context) error {
	if err := b.goRun(ctx, "build", "-o", b.stage+"/", "./scripts/kernels/try", "./testdata/probe", "./testdata/bomb", "./testdata/escape", "./testdata/server-go", "./cmd/..."); err != nil {
		return err
	}
	built := map[string]bool{}
	for _, r := range matrix.Rows() {
		for _, s := range r.Suites {
			if built[s.Package] {
				continue
			}
			built[s.Package] = true
			if err := b.goRun(ctx, "test", "-c", "-o", filepath.Join(b.stage, s.Binary()), "./"+s.Package); err != nil {
				return err
			}
		}
	}
	return nil
}

// goRun is the go command without cgo: a guest has the host's libraries, but nothing here needs them.
func (b *bench) goRun(ctx context.Context, verb string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(b.checkout, "scripts", "go"), append([]string{verb, "-trimpath"}, args...)...)
	cmd.Dir = b.checkout
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s %v: %w\n%s", verb, args, err, out)
	}
	return nil
}

// machine is one with a kernel of the table.
func (b *bench) machine(ctx context.Context, kernel string) (*machine.Machine, error) {
	source, ok := matrix.Kernels()[kernel]
	if !ok {
		return nil, fmt.Errorf("no kernel %q", kernel)
	}
	k, err := debian.Fetch(ctx, filepath.Join(b.checkout, ".cache", "kernels"), source)
	return &machine.Machine{Kernel: k.Image, Modules: k.Modules, Guest: b.guest()}, err
}

// row runs one row and returns why it did not pass. Its output is printed when it does not, or when asked for.
func (b *bench) row(ctx context.Context, r *matrix.Row) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, rowTime)
	defer cancel()
	began := time.Now()
	j, err := r.Job(b.stage, b.checkout)
	if err != nil {
		return nil, err
	}
	m, err := b.machine(ctx, r.Kernel)
	if err != nil {
		return nil, err
	}
	m.Append = r.Append
	var out bytes.Buffer
	to := io.Writer(&out)
	if b.verbose {
		to = io.MultiWriter(&out, os.Stdout)
	}
	status, err := m.Run(ctx, &j, to)
	if err != nil {
		os.Stdout.Write(out.Bytes())
		return nil, err
	}
	reasons, tests := matrix.Judge(&j, status, out.String())
	if reasons != nil && !b.verbose {
		os.Stdout.Write(out.Bytes())
	}
	fmt.Printf("kernels: %-28s %3.0f s, %d tests passed, %d reasons against it\n", r.Name, time.Since(began).Seconds(), tests, len(reasons))
	return reasons, nil
}
