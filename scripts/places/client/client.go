// Package client is a host with the official Go SDK, as far as a place needs one.
//
//	tools, err := client.Talk(ctx, exec.Command("node", "server.mjs"))
package client

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Talk starts a server, initializes a session with it, lists its tools and ends it. The result is the number of
// tools.
func Talk(ctx context.Context, cmd *exec.Cmd) (tools int, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-sandbox-places", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
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
	return len(list.Tools), nil
}
