package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// hostArg makes this program a Go host that launches once for each line it reads.
const hostArg = "-as-host"

var ballast []byte

// starterArg makes this program a Go host that starts another launcher once for each line: MEGABYTES PROGRAM WORD....
const starterArg = "-as-starter"

func host(megabytes string, want policy.Confinement) {
	fill(megabytes)
	forEachLine(func() error { return launchOnce(want) })
}

// fill makes the heap as large as a host's.
func fill(megabytes string) {
	mb, _ := strconv.Atoi(megabytes)
	ballast = make([]byte, mb<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
}

// forEachLine answers each line of standard input with what became of a launch.
func forEachLine(launch func() error) {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(launch())
	}
}

// launchOnce is a host's launch, with all options.
func launchOnce(want policy.Confinement) error {
	ctx := context.Background()
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: target, Dir: "/"})
	if err != nil {
		return err
	}
	defer sb.Close()
	if err := sb.Cmd.Start(); err != nil {
		return err
	}
	report, err := sb.Report(ctx)
	if err != nil {
		return err
	}
	if report.Confinement != string(want) {
		return fmt.Errorf("confinement %s, and not %s", report.Confinement, want)
	}
	if _, err := sb.Wait(ctx); err != nil {
		return err
	}
	return sb.Cmd.Wait()
}

// start starts a host, or another process that launches for each line.
func start(cmd *exec.Cmd) (launch func() error, stop func(), err error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	answers := bufio.NewReader(out)
	launch = func() error {
		if _, err := io.WriteString(in, "\n"); err != nil {
			return err
		}
		line, err := answers.ReadString('\n')
		if err == nil && line != "<nil>\n" {
			err = fmt.Errorf("host: %s", line)
		}
		return err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	return launch, stop, cmd.Start()
}
