// Package server is a small MCP server on the official Go SDK, whose tools reach for whatever its sandbox lets them.
//
//	err := server.New().Run(ctx, &mcp.StdioTransport{})
//
// testdata/server-go is its program, and the demo runs it in its own binary. The server is for tests, and checks no
// path and no command: the sandbox around the server is tested.
package server

import (
	"context"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// New makes a server with every tool and starts nothing.
func New() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "mcp-sandbox-testserver", Version: "1"}, nil)
	mcp.AddTool(s, tool("echo", "Say the text again."), echo)
	mcp.AddTool(s, tool("read_file", "Read a text file whole."), readFile)
	mcp.AddTool(s, tool("write_file", "Write a text file, replacing it."), writeFile)
	mcp.AddTool(s, tool("attempt", "Try one thing that a sandbox may deny. Actions:\n"+attempt.Usage()), try)
	return s
}

func tool(name, description string) *mcp.Tool { return &mcp.Tool{Name: name, Description: description} }

// Text is the result of a tool that has one piece of text to give.
type Text struct {
	Text string `json:"text"`
}

// File is a file and what is to be in it.
type File struct {
	Path string `json:"path"`
	Text string `json:"text,omitempty"`
}

// Attempt is an action of package attempt.
type Attempt struct {
	Action string   `json:"action"`
	Args   []string `json:"args,omitempty"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in Text) (*mcp.CallToolResult, Text, error) {
	return nil, in, nil
}

func readFile(_ context.Context, _ *mcp.CallToolRequest, in File) (*mcp.CallToolResult, Text, error) {
	text, err := os.ReadFile(in.Path)
	return nil, Text{string(text)}, err
}

func writeFile(_ context.Context, _ *mcp.CallToolRequest, in File) (*mcp.CallToolResult, Text, error) {
	return nil, Text{in.Path}, os.WriteFile(in.Path, []byte(in.Text), 0o644)
}

func try(_ context.Context, _ *mcp.CallToolRequest, in Attempt) (*mcp.CallToolResult, attempt.Result, error) {
	r, err := attempt.Do(in.Action, in.Args...)
	r.Detail = strings.ToValidUTF8(r.Detail, "?")
	return nil, r, err
}
