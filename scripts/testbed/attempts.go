package testbed

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// Attempts runs cmd, which is to end in testdata/probe with its arguments, and returns what the probe printed. The exit
// status is not judged, for a sandbox may end the probe midway: compare the number of results.
func Attempts(tb testing.TB, cmd *exec.Cmd) []attempt.Result {
	tb.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout = &out
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	all, bad := attempt.Read(&out)
	if bad != nil {
		tb.Fatal(bad)
	}
	if len(all) == 0 {
		tb.Logf("%v: %v, no result\n%s", cmd, err, errs.String())
	}
	return all
}
