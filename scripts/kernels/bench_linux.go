package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/machine"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A bench is what all rows share: the checkout, a folder of programs built for them, and the kernels.
type bench struct {
	checkout, stage string
	verbose         bool
	tools           func() error // waits for what is installed
	kernels         map[string]func() (debian.Kernel, error)
	stop            func() // what goes on in the background
}

// newBench starts to install what is missing and to get the kernels of these names, one after the other, while there is
// something to be built.
func newBench(ctx context.Context, kernels ...string) (*bench, error) {
	root, err := testbed.Root()
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(root, ".cache", "kernels")
	sweep(os.TempDir(), machine.Temporary)
	sweep(os.TempDir(), temporary)
	sweep(cache, debian.Temporary)
	stage, err := os.MkdirTemp("", temporary)
	if err != nil {
		return nil, err
	}
	background, cancel := context.WithCancel(ctx)
	b := &bench{checkout: root, stage: stage, kernels: map[string]func() (debian.Kernel, error){},
		tools: sync.OnceValue(func() error { return install(background) })}
	for _, name := range kernels {
		b.kernels[name] = sync.OnceValues(func() (debian.Kernel, error) {
			source, ok := matrix.Kernels()[name]
			if !ok {
				return debian.Kernel{}, fmt.Errorf("no kernel %q", name)
			}
			if err := b.tools(); err != nil {
				return debian.Kernel{}, err
			}
			return debian.Fetch(background, cache, source)
		})
	}
	var group sync.WaitGroup
	group.Go(func() {
		for _, name := range kernels {
			_, _ = b.kernels[name]() // a row that needs the kernel gets the error
		}
	})
	b.stop = func() {
		cancel()
		group.Wait()
	}
	return b, nil
}

// temporary is how the name of a bench's folder begins.
const temporary = "mcp-sandbox-kernels-"

func (b *bench) close() {
	b.stop()
	os.RemoveAll(b.stage)
}

func (b *bench) guest() string { return filepath.Join(b.stage, "guest") }

func (b *bench) buildGuest(ctx context.Context) error {
	return b.goRun(ctx, "build", "-o", b.guest(), "./scripts/kernels/guest")
}

// build builds what runs in the guests: the programs, and the tests of every suite of these rows.
func (b *bench) build(ctx context.Context, rows []matrix.Row) error {
	if err := b.goRun(ctx, "build", "-o", b.stage+"/", "./cmd/...", "./scripts/kernels/guest", "./scripts/kernels/try",
		"./testdata/probe", "./testdata/server-go"); err != nil {
		return err
	}
	var tests []string
	for _, r := range rows {
		for _, s := range r.Suites {
			if folder := "./" + s.Package; !slices.Contains(tests, folder) {
				tests = append(tests, folder)
			}
		}
	}
	if tests == nil {
		return nil
	}
	return b.goRun(ctx, "test", append([]string{"-c", "-o", b.stage + "/"}, tests...)...)
}

// goRun is the go command without cgo: a guest has the host's libraries, but nothing here needs them.
func (b *bench) goRun(ctx context.Context, verb string, args ...string) error {
	cmd := exec.CommandContext(ctx, "./scripts/go", append([]string{verb, "-trimpath"}, args...)...)
	cmd.Dir = b.checkout
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s %v: %w\n%s", verb, args, err, out)
	}
	return nil
}

// machine is one with a kernel that the bench was made for.
func (b *bench) machine(kernel string) (*machine.Machine, error) {
	k, err := b.kernels[kernel]()
	return &machine.Machine{Kernel: k.Image, Modules: k.Modules, Guest: b.guest()}, err
}
