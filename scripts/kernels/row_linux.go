package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// What bounds one machine. One that is slow has long, and one that is silent has less than the tests of a step: what it
// printed last says which test hangs.
const (
	rowTime = 40 * time.Minute
	silence = 6 * time.Minute
)

// runRow runs one row and returns why it did not pass, and what is to be printed of it: what the guest printed only
// when it did not, or at once when asked for.
func (b *bench) runRow(ctx context.Context, r *matrix.Row) (reasons []string, text string, err error) {
	j, err := r.Job(b.Dir, b.Checkout)
	if err != nil {
		return nil, "", err
	}
	m, err := b.machine(r.Kernel)
	if err != nil {
		return nil, "", err
	}
	m.Append, m.Silence = r.Append, silence
	ctx, cancel := context.WithTimeoutCause(ctx, rowTime, fmt.Errorf("it was not done after %v", rowTime))
	defer cancel()
	began := time.Now()
	var out bytes.Buffer
	to := io.Writer(&out)
	if b.verbose {
		to = io.MultiWriter(&out, os.Stdout)
	}
	status, err := m.Run(ctx, &j, to)
	reasons, tests := matrix.Judge(&j, status, out.String())
	if err != nil {
		reasons = append([]string{err.Error()}, reasons...)
	}
	if reasons != nil && !b.verbose {
		text = fmt.Sprintf("kernels: %s: what it printed, without what passed\n%s", r.Name, matrix.Quiet(out.String()))
	}
	text += fmt.Sprintf("kernels: %-31s %3.0f s, %d tests passed, %d reasons against it; %s\n", r.Name,
		time.Since(began).Seconds(), tests, len(reasons), matrix.Slowest(status, 3))
	return reasons, text, nil
}

// result runs a row and prints what is against it, all of it at once.
func (b *bench) result(ctx context.Context, row *matrix.Row) matrix.Result {
	r := matrix.Result{Row: row.Name}
	if ctx.Err() != nil {
		r.Skipped = "interrupted"
		return r
	}
	if row.Missing != "" {
		r.Skipped = "it takes " + row.Missing
		return r
	}
	reasons, text, err := b.runRow(ctx, row)
	if row.Optional && errors.Is(err, debian.ErrNotServed) {
		r.Skipped, _, _ = strings.Cut(err.Error(), "\n")
		fmt.Printf("kernels: %s: skipped: %s\n", row.Name, r.Skipped)
		return r
	}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	if row.Name == matrix.Control().Name {
		reasons, text = control(reasons, text)
	}
	r.Reasons = reasons
	fmt.Print(text + matrix.Failed([]matrix.Result{r}))
	return r
}

// control judges the row with a wrong expectation, which passes if the expectation is the only failure. Its
// output has a failed test in it, not one of this run, so that output is printed only of a row that does not pass.
func control(reasons []string, text string) (against []string, output string) {
	if len(reasons) == 1 && strings.HasPrefix(reasons[0], matrix.TryStep+": exit status 1") &&
		strings.Contains(reasons[0], "Landlock ABI is ") {
		return nil, fmt.Sprintf("kernels: %s: fails by its comparison alone, as it must\n", matrix.Control().Name)
	}
	return []string{fmt.Sprintf("it must fail by its comparison alone: %q", reasons)}, text
}
