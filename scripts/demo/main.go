// Command demo shows what a confined MCP server cannot do, and that the same server can when it is not confined.
//
// The demo is a host, a Go program with a go-sdk client, and its own server: started twice, once plainly and once by
// launcher.Command. The demo calls the same tools of both and prints the results side by side. The targets are made
// up: a home folder with a key in a temporary place, a listener on loopback, a process to be seen. Exit status 0 only
// if every attempt went through unconfined and none of those that the policy does not grant did confined.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/server"
)

// timeout bounds the whole demo.
const timeout = 30 * time.Second

func main() {
	reexec.Init()
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == serveArg:
		err = server.New().Run(context.Background(), &mcp.StdioTransport{})
	case len(os.Args) == 3 && os.Args[1] == idleArg: // in the process list until its input ends
		_, err = io.Copy(io.Discard, os.Stdin)
	default:
		err = demo()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	st, err := newStage()
	if err != nil {
		return err
	}
	defer st.close()

	session, err := connect(ctx, st.command())
	if err != nil {
		return fmt.Errorf("unconfined server: %w", err)
	}
	unconfined, err := tryAll(ctx, session, st)
	if err != nil {
		return fmt.Errorf("unconfined server: %w", err)
	}

	session, report, err := startConfined(ctx, st)
	if err != nil {
		return fmt.Errorf("confined server: %w", err)
	}
	confined, err := tryAll(ctx, session, st)
	if err != nil {
		return fmt.Errorf("confined server: %w", err)
	}
	rows := compare(st.tries(), unconfined, confined, report)
	show(os.Stdout, rows, report)
	return verdict(rows)
}
