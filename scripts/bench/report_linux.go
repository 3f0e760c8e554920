package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// launcherArg makes this program start mcp-sandbox-init once for each line it reads.
const launcherArg = "-as-launcher"

// startReporting starts a command and returns the pipe that is its descriptor 3.
func startReporting(c *exec.Cmd) (report *os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	c.ExtraFiles = []*os.File{w}
	if err := c.Start(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// byInit is a launch by mcp-sandbox-init, for which each command is a new one.
func byInit(command func() *exec.Cmd, want policy.Confinement) func() error {
	return func() error {
		_, err := reported(command(), want)
		return err
	}
}

// reported is a launch by mcp-sandbox-init whose report is read.
func reported(c *exec.Cmd, want policy.Confinement) (report []byte, err error) {
	c.Args = append(c.Args, "--report-fd", "3", "--", target)
	r, err := startReporting(c)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	report, err = io.ReadAll(r)
	if err == nil && !bytes.Contains(report, []byte(`"confinement":"`+want+`"`)) {
		err = fmt.Errorf("not confinement %s: %s", want, report)
	}
	if ended := c.Wait(); err == nil {
		err = ended
	}
	return report, err
}
