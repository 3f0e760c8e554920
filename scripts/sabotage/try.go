package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// crashed is a test binary that ended before its tests did.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: ).*`)

// A runner runs tests of a module.
type runner struct {
	root, temp string        // the module, a folder of the runner's own
	golang     string        // the go command
	bound      time.Duration // that a test has
}

// An outcome is what go test -json told.
type outcome struct {
	ended  map[string]string // pass, fail or skip of a test
	broken bool              // it was not compiled
	output bytes.Buffer
}

// goTest runs tests of a package. Commands that they build see the overlay too, by GOFLAGS; what they share
// was built without. As scripts/test does, nothing takes cgo, and libraries are compiled once for all checkouts.
func (r *runner) goTest(ctx context.Context, pkg, overlay string, tests ...string) (*outcome, error) {
	bound := time.Duration(len(tests)) * r.bound
	cmd := exec.CommandContext(ctx, r.golang, "test", "-json", "-count=1", "-short", "-vet=off",
		"-timeout", bound.String(), "-run", "^("+strings.Join(tests, "|")+")$", "./"+pkg)
	flags := os.Getenv("GOFLAGS") + " -trimpath"
	if overlay != "" {
		flags += " -overlay=" + overlay
	}
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), "GOFLAGS="+flags, "CGO_ENABLED=0", "MCP_SANDBOX_TEST_PROGRAMS=")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	o := &outcome{ended: map[string]string{}}
	cmd.Stdout, cmd.Stderr = &out, &o.output
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	for line := range bytes.Lines(out.Bytes()) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			o.output.Write(line)
			continue
		}
		o.output.WriteString(e.Output)
		o.broken = o.broken || e.Action == "build-fail"
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			o.ended[e.Test] = e.Action
		}
	}
	return o, nil
}

// wrong says why a test did not end as it must, with the last lines of the output, or is nil.
func (o *outcome) wrong(test, want string) error {
	why, ended := "", o.ended[test]
	crash := crashed.FindString(o.output.String())
	switch {
	case o.broken:
		why = "it was not compiled"
	case strings.HasPrefix(crash, "panic: test timed out"):
		why = "it took longer than it may"
	case crash != "":
		why = "it crashed"
	case ended == want:
		return nil
	case ended == "":
		why = "the test did not run to its end"
	case ended == "skip":
		why = "the test was skipped"
	case want == "pass":
		why = "the test fails without a fault"
	default:
		why = "the test did not notice"
	}
	lines := strings.Split(strings.TrimSpace(o.output.String()), "\n")
	lines = lines[max(0, len(lines)-12):]
	return fmt.Errorf("%s\n\t%s", why, strings.Join(lines, "\n\t"))
}

// try runs the block's test with the fault, changed, and says why it was not noticed.
func (r *runner) try(ctx context.Context, b *block, changed string) error {
	dir, err := os.MkdirTemp(r.temp, "block-")
	if err != nil {
		return err
	}
	file, overlay := filepath.Join(dir, filepath.Base(b.file)), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(r.root, b.file): file}})
	if err != nil {
		return err
	}
	err = errors.Join(os.Chmod(dir, 0o755), os.WriteFile(file, []byte(changed), 0o644),
		os.WriteFile(overlay, list, 0o644))
	if err != nil {
		return err
	}
	o, err := r.goTest(ctx, b.pkg, overlay, b.test)
	if err != nil {
		return err
	}
	return o.wrong(b.test, "fail")
}
