// Command server-go is the MCP test server as a program: it speaks over its standard input and output.
//
//	server-go [--stdio] [--ignore-term] [--linger]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/server"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == attempt.DaemonArg {
		exitOn(attempt.Daemon(os.Args[2]))
		return
	}
	flag.Bool("stdio", true, "speak over standard input and output; there is no other way")
	ignoreTerm := flag.Bool("ignore-term", false, "take no notice of SIGTERM")
	linger := flag.Bool("linger", false, "stay when standard input ends")
	flag.Parse()
	if *ignoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	exitOn(server.New().Run(context.Background(), &mcp.StdioTransport{}))
	if *linger {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // or the runtime calls an endless wait a deadlock
		select {}
	}
}

// exitOn is for the end of the session as well: a client that closes the server's input is no error.
func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "server-go:", err)
		os.Exit(1)
	}
}
