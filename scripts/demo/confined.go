package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// connect starts cmd as an MCP server and initializes a session with it, as any Go host does.
func connect(ctx context.Context, cmd *exec.Cmd) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-sandbox-demo", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
}

// startConfined is all that a Go host has to do: a policy, a command, and the plain exec.Cmd goes to the SDK.
func startConfined(ctx context.Context, st *stage) (*mcp.ClientSession, *launcher.Report, error) {
	var pol policy.Policy
	pol.Filesystem.AllowWrite = []string{st.project}
	sb, err := launcher.Command(ctx, pol, launcher.Target{Path: st.self, Args: []string{serveArg}})
	if err != nil {
		return nil, nil, err
	}
	var stderr bytes.Buffer // the report has the same, unless the launch is refused
	sb.Cmd.Stderr = &stderr
	session, connectErr := connect(ctx, sb.Cmd)
	if sb.Cmd.Process == nil { // never started: there would be no report
		sb.Close()
		return nil, nil, connectErr
	}
	report, err := sb.Report(ctx) // says more than a broken connection where the launch was refused
	if err == nil {
		err = connectErr
	}
	if err != nil {
		os.Stderr.Write(stderr.Bytes())
		return nil, nil, err
	}
	return session, report, nil
}
