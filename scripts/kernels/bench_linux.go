package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/machine"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

// A bench is what all rows share: a stage of programs built for them, and the kernels.
type bench struct {
	*stage.Stage
	verbose bool
	tools   func() error // waits for what is installed
	kernels map[string]func() (debian.Kernel, error)
	stop    func() // what goes on in the background
}

// newBench starts to install what is missing and to get the kernels of these names, one after the other, while there is
// something to be built.
func newBench(ctx context.Context, kernels ...string) (*bench, error) {
	s, err := stage.New("mcp-sandbox-kernels-")
	if err != nil {
		return nil, err
	}
	cache := filepath.Join(s.Checkout, ".cache", "kernels")
	stage.Sweep(cache, debian.Temporary)
	background, cancel := context.WithCancel(ctx)
	b := &bench{Stage: s, kernels: map[string]func() (debian.Kernel, error){},
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

func (b *bench) close() {
	b.stop()
	b.Remove()
}

func (b *bench) guest() string { return filepath.Join(b.Dir, "guest") }

func (b *bench) buildGuest(ctx context.Context) error {
	return b.Go(ctx, "build", "-o", b.guest(), "./scripts/kernels/guest")
}

// build builds what runs in the guests: the programs, and the tests of every suite of these rows.
func (b *bench) build(ctx context.Context, rows []matrix.Row) error {
	if err := b.Go(ctx, "build", "-o", b.Dir+"/", "./cmd/...", "./scripts/kernels/guest",
		"./testdata/probe", "./testdata/server-go"); err != nil {
		return err
	}
	tests := []string{"-c", "-o", b.Dir + "/", "./" + matrix.Try().Package}
	for _, r := range rows {
		for _, s := range r.Suites {
			if folder := "./" + s.Package; !slices.Contains(tests, folder) {
				tests = append(tests, folder)
			}
		}
	}
	return b.Go(ctx, "test", tests...)
}

// machine is one with a kernel that the bench was made for.
func (b *bench) machine(kernel string) (*machine.Machine, error) {
	k, err := b.kernels[kernel]()
	return &machine.Machine{Kernel: k.Image, Modules: k.Modules, Guest: b.guest()}, err
}
