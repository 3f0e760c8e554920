// Package client is a host with the official Go SDK, as far as a place needs one.
//
//	tools, err := client.Talk(ctx, &mcp.CommandTransport{Command: exec.Command("node", "server.mjs")})
package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Talk initializes a session with a server, lists its tools, makes the calls and ends it. The result is the number of
// tools.
func Talk(ctx context.Context, to mcp.Transport, calls ...Call) (tools int, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-sandbox-places", Version: "1"}, nil)
	session, err := client.Connect(ctx, to, nil)
	if err != nil {
		return 0, fmt.Errorf("initialize: %w", err)
	}
	defer func() {
		if end := session.Close(); err == nil && end != nil {
			err = fmt.Errorf("close: %w", end)
		}
	}()
	list, err := session.ListTools(ctx, nil)
	if err == nil && len(list.Tools) == 0 {
		err = errors.New("none")
	}
	if err != nil {
		return 0, fmt.Errorf("tools/list: %w", err)
	}
	for _, c := range calls {
		r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: map[string]any{"text": c.Text}})
		if err != nil {
			return 0, fmt.Errorf("tools/call: %w", err)
		}
		said, _ := r.Content[0].(*mcp.TextContent)
		if r.IsError == (c.Want != "") || said == nil || c.Want != "" && said.Text != c.Want {
			return 0, fmt.Errorf("%s %s: %+v, want %q", c.Tool, c.Text, said, c.Want)
		}
	}
	return len(list.Tools), nil
}

// A Call is one of a tool with a text.
type Call struct{ Tool, Text, Want string } // Want "": an error
