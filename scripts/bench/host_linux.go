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

func host(megabytes string) {
	mb, _ := strconv.Atoi(megabytes)
	ballast = make([]byte, mb<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		fmt.Println(launchOnce())
	}
}

// launchOnce is what a host does, with everything it may ask for.
func launchOnce() error {
	ctx := context.Background()
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: target, Dir: "/"})
	if err != nil {
		return err
	}
	defer sb.Close()
	if err := sb.Cmd.Start(); err != nil {
		return err
	}
	if _, err := sb.Report(ctx); err != nil {
		return err
	}
	if _, err := sb.Wait(ctx); err != nil {
		return err
	}
	return sb.Cmd.Wait()
}

// A remote is a running host.
type remote struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) startHost(heap string) (*remote, error) {
	h := &remote{cmd: b.command(b.path("host"), hostArg, heap)}
	h.cmd.Stderr = os.Stderr
	in, err := h.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.in, h.out = in, bufio.NewReader(out)
	return h, h.cmd.Start()
}

func (h *remote) launch() error {
	if _, err := io.WriteString(h.in, "\n"); err != nil {
		return err
	}
	line, err := h.out.ReadString('\n')
	if err == nil && line != "<nil>\n" {
		err = fmt.Errorf("host: %s", line)
	}
	return err
}

func (h *remote) stop() {
	h.in.Close()
	h.cmd.Wait()
}
