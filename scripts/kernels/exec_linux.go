package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// runOne runs one program in a machine, as go test -exec asks for it: exec [FLAG...] PROGRAM ARG...
func runOne(ctx context.Context) (int, error) {
	f := flag.NewFlagSet("kernels exec", flag.ContinueOnError)
	kernel := f.String("kernel", "6.12", "one of the table")
	uid := f.Int("uid", 0, "user and group of the program")
	line := f.String("append", "", "to the kernel's command line")
	place := f.String("place", "", "where it stands in the control groups: delegated, below, manager")
	hybrid := f.Bool("hybrid", false, "with the controllers in cgroup v1")
	if err := f.Parse(os.Args[2:]); err != nil {
		return 0, err
	}
	if f.NArg() == 0 {
		return 0, errors.New("exec: no program")
	}
	program, err := exec.LookPath(f.Arg(0))
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return 0, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	b, err := newBench(ctx, *kernel)
	if err != nil {
		return 0, err
	}
	defer b.close()
	if err := b.buildGuest(ctx); err != nil {
		return 0, err
	}
	m, err := b.machine(*kernel)
	if err != nil {
		return 0, err
	}
	m.Append = *line
	const step = "exec"
	j := job.Job{UID: *uid, Place: job.Place(*place), Hybrid: *hybrid,
		Env: forwarded(os.Environ()), Open: []string{dir, filepath.Dir(program)},
		Steps: []job.Step{{Name: step, Dir: dir, Argv: append([]string{program}, f.Args()[1:]...)}}}
	status, err := m.Run(ctx, &j, os.Stdout)
	if err == nil && !status.Done {
		err = errors.New("the guest did not come to its end")
	}
	if len(status.Troubles) > 0 {
		err = errors.Join(err, errors.New(strings.Join(status.Troubles, "\n")))
	}
	return status.Codes[step], err
}

// forwarded are the variables that mean something to the tests.
func forwarded(environ []string) []string {
	var all []string
	for _, pair := range environ {
		if strings.HasPrefix(pair, "MCP_SANDBOX_") || strings.HasPrefix(pair, "CI=") {
			all = append(all, pair)
		}
	}
	return all
}
