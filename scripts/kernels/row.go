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

// What bounds one machine. A test that hangs is ended by its own program, which says where it was: that has less time than
// a machine may be silent for, and a machine that is slow and talks has more.
const (
	rowTime = 30 * time.Minute
	silence = matrix.StepTime + 2*time.Minute
)

// row runs one row and returns why it did not pass. Its output is printed when it does not, or when asked for.
func (b *bench) row(ctx context.Context, r *matrix.Row) ([]string, error) {
	j, err := r.Job(b.stage, b.checkout)
	if err != nil {
		return nil, err
	}
	m, err := b.machine(r.Kernel)
	if err != nil {
		return nil, err
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
		fmt.Printf("kernels: %s: what it printed, without what passed\n%s", r.Name, matrix.Quiet(out.String()))
	}
	fmt.Printf("kernels: %-28s %3.0f s, %d tests passed, %d reasons against it\n", r.Name, time.Since(began).Seconds(), tests, len(reasons))
	return reasons, nil
}

// result runs a row and prints what is against it.
func (b *bench) result(ctx context.Context, row *matrix.Row) matrix.Result {
	if row.Missing != "" {
		return matrix.Result{Row: row.Name, Skipped: "it takes " + row.Missing}
	}
	reasons, err := b.row(ctx, row)
	if row.Optional && errors.Is(err, debian.ErrNotServed) {
		why, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Printf("kernels: %s: skipped: %s\n", row.Name, why)
		return matrix.Result{Row: row.Name, Skipped: why}
	}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	r := matrix.Result{Row: row.Name, Reasons: reasons}
	fmt.Print(matrix.Failed([]matrix.Result{r}))
	return r
}

// control runs the row that expects wrongly. It passes if that, and nothing else, is what is found against it.
func (b *bench) control(ctx context.Context) matrix.Result {
	row := matrix.Control()
	r := matrix.Result{Row: row.Name}
	reasons, err := b.row(ctx, &row)
	if err != nil || len(reasons) != 1 || !strings.HasPrefix(reasons[0], matrix.TryStep+": exit status 1") {
		r.Reasons = []string{fmt.Sprintf("it must fail by its comparison alone: %q, %v", reasons, err)}
		fmt.Print(matrix.Failed([]matrix.Result{r}))
		return r
	}
	fmt.Printf("kernels: %s: fails, as it must\n", row.Name)
	return r
}
