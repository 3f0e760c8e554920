package try

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// asHost is the argument with which this program is a host: it launches by the library and says on descriptor 3, in the
// lines of a report, what the library returned.
const asHost = "host"

// host returns the exit status: the shim's, or 1.
func host(file string, command []string) int {
	code, err := embed(file, command)
	if err != nil {
		fmt.Fprintln(os.Stderr, "try: host:", err)
		return 1
	}
	return code
}

func embed(file string, command []string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), launchTimeout)
	defer cancel()
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	p, err := policy.Parse(text)
	if err != nil {
		return 0, err
	}
	report := os.NewFile(3, "report")
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: command[0], Args: command[1:], Dir: "/"})
	if err != nil {
		return 0, err
	}
	defer sb.Close()
	sb.Cmd.Stdin, sb.Cmd.Stdout, sb.Cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := sb.Cmd.Start(); err != nil {
		return 0, err
	}
	e, err := sb.Report(ctx)
	var refused *launcher.Error
	switch {
	case err == nil:
		err = json.NewEncoder(report).Encode(e)
	case errors.As(err, &refused):
		var errno syscall.Errno
		errors.As(err, &errno)
		r := order.Refused{Event: "refused", Layer: refused.Layer, Op: refused.Op, Hint: refused.Hint}
		r.Errno = int(errno)
		err = json.NewEncoder(report).Encode(r)
	}
	if err != nil {
		return 0, err
	}
	var exit *exec.ExitError
	if err := sb.Cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return sb.Cmd.ProcessState.ExitCode(), nil
}
