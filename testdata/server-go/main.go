// Command server-go is the MCP test server as a program: it speaks over its standard input and output.
// It takes no arguments.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/server"
)

func main() {
	if err := server.New().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "server-go:", err)
		os.Exit(1)
	}
}
