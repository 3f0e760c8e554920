package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stepBound ends a step that hangs.
const stepBound = 45 * time.Minute

// mostFlaky tests may pass the second time only.
const mostFlaky = 3

// A result is what came of a step.
type result struct {
	step    *step
	state   string // passed, FAILED, not run, cannot
	detail  string
	seconds int
	ran     bool
}

// A run is one call of this program.
type run struct {
	root, cache string
	again       bool // a step that passed with the same files is not run again
	began       time.Time
	named       bool // the caller named the steps: one that cannot run is a failure
	results     []result
}

// together runs steps at once. The first prints as it goes, the others when all are done.
func (r *run) together(ctx context.Context, all []*step) {
	results, texts := make([]result, len(all)), make([]bytes.Buffer, len(all))
	var running sync.WaitGroup
	for i := range all[1:] {
		running.Go(func() { results[i+1] = r.step(ctx, all[i+1], &texts[i+1]) })
	}
	results[0] = r.step(ctx, all[0], os.Stdout)
	running.Wait()
	for i := range texts {
		os.Stdout.Write(texts[i].Bytes())
	}
	r.results = append(r.results, results...)
}

// step runs a step, or says why it does not.
func (r *run) step(ctx context.Context, s *step, to io.Writer) (res result) {
	res.step = s
	if ctx.Err() != nil {
		res.state, res.detail = "not run", "interrupted"
		return res
	}
	if lack := s.needs.lacks(); lack != "" {
		res.state, res.detail = "cannot", lack
		return res
	}
	files, err := sum(r.root, s)
	if err != nil {
		res.state, res.detail = "FAILED", err.Error()
		return res
	}
	record := filepath.Join(r.cache, "passed", s.name)
	if before, err := os.ReadFile(record); r.again && err == nil && string(before) == files {
		res.state, res.detail = "passed", "before, with the same files"
		return res
	}
	res.ran = true
	began := time.Now()
	fmt.Fprintf(to, "\n==> %s: %s\n", s.name, s.run)
	err = r.command(ctx, s, to)
	res.seconds = int(time.Since(began).Seconds())
	flaky, _ := os.ReadFile(r.told(s, "flaky.txt")) // a step without flaky tests has none
	if err == nil && len(flaky) == 0 {
		err = write(record, files)
	} else {
		err = errors.Join(err, os.RemoveAll(record)) // what was flaky is judged by the run, and tried again by the next
	}
	res.state = "passed"
	if err != nil {
		res.state, res.detail = "FAILED", err.Error()
	}
	line := fmt.Sprintf("==> %s: %s after %d s %s", s.name, res.state, res.seconds, res.detail)
	fmt.Fprintln(to, strings.TrimSpace(line))
	return res
}

// told is a file that the tests of a step leave.
func (r *run) told(s *step, name string) string { return filepath.Join(r.cache, "told", s.name, name) }

// command runs a step's line, whose tests leave in a folder what they leave: see command again.
func (r *run) command(ctx context.Context, s *step, to io.Writer) error {
	told := r.told(s, "")
	if err := errors.Join(os.RemoveAll(told), os.MkdirAll(told, 0o755)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, stepBound, fmt.Errorf("it did not end within %v", stepBound))
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", s.run)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.root, to, to
	cmd.Env = append(os.Environ(), "MCP_SANDBOX_AGAIN="+told)
	group(cmd)
	cmd.Cancel = func() error { return end(cmd, false) }
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	if ctx.Err() != nil {
		_ = end(cmd, true) // what is left; nothing is no error
		err = context.Cause(ctx)
	}
	return err
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// summary prints how it went, and returns whether it went well.
func (r *run) summary(to io.Writer) bool {
	var slow []string
	flaky, count := "", 0
	for _, res := range r.results {
		if !res.ran {
			continue // what lies there a run before told
		}
		seconds, _ := os.ReadFile(r.told(res.step, "seconds.txt")) // a step without tests has none
		for line := range strings.Lines(string(seconds)) {
			slow = append(slow, strings.TrimSuffix(line, "\n")+" ("+res.step.name+")")
		}
		again, _ := os.ReadFile(r.told(res.step, "flaky.txt"))
		for line := range strings.Lines(string(again)) {
			if flaky += line; !strings.HasPrefix(line, "\t") {
				count++
			}
		}
	}
	slices.SortStableFunc(slow, func(a, b string) int { return cmp.Compare(elapsed(b), elapsed(a)) })
	if len(slow) > 0 {
		fmt.Fprintf(to, "\nThe longest tests, in seconds:\n  %s\n", strings.Join(slow[:min(10, len(slow))], "\n  "))
	}
	if count > 0 {
		fmt.Fprintf(to, "\nflaky: %d tests passed the second time only; the first time they printed\n%s", count, flaky)
	}
	return r.table(to, count)
}

// table prints a line for each step.
func (r *run) table(to io.Writer, flaky int) bool {
	fmt.Fprintln(to)
	total := int(time.Since(r.began).Seconds())
	failed := []string{}
	for _, res := range r.results {
		if res.state == "FAILED" || res.state == "not run" || r.named && res.state == "cannot" {
			failed = append(failed, res.step.name)
		}
		line := fmt.Sprintf("%-8s %5d s  %-12s %s", res.state, res.seconds, res.step.name, res.detail)
		fmt.Fprintln(to, strings.TrimRight(line, " "))
	}
	if flaky > mostFlaky {
		failed = append(failed, fmt.Sprintf("%d flaky tests, more than %d", flaky, mostFlaky))
	}
	if len(failed) > 0 {
		fmt.Fprintf(to, "check: FAILED after %d s: %s\n", total, strings.Join(failed, ", "))
		return false
	}
	fmt.Fprintf(to, "check: passed in %d s\n", total)
	return true
}

// elapsed are the seconds at the beginning of a line.
func elapsed(line string) float64 {
	word, _, _ := strings.Cut(line, " ")
	seconds, _ := strconv.ParseFloat(word, 64) // a line without is the shortest
	return seconds
}
