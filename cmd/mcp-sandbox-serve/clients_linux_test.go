package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// program starts serve in front of the Go SDK's server.
func program(t testing.TB) *served {
	t.Helper()
	s := begin(t, "", "--", testbed.Program(t, "server-go"))
	testbed.Await(t, "the address in the log", func() bool {
		s.url, _ = s.field("listening", "url").(string)
		return s.url != ""
	})
	return s
}

// The Go SDK's client does by serve what it does by stdio, in the version of each era.
func TestGoClient(t *testing.T) {
	t.Parallel()
	s := program(t)
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		t.Run(version, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), testbed.Patience())
			defer stop()
			client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("version %s", got)
			}
			tools, err := session.ListTools(ctx, nil)
			if err != nil || len(tools.Tools) != 4 {
				t.Errorf("%v %v", tools, err)
			}
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hi"}})
			if err != nil || result.IsError {
				t.Errorf("%v %v", result, err)
			}
		})
	}
	if n := s.count("sandbox started"); n != 4 {
		t.Errorf("%d sandboxes", n)
	}
	testbed.Await(t, "the end of the legacy sessions", func() bool { return s.count("sandbox ended") == 3 })
}

// So does the TypeScript SDK's.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	modules, script := testbed.Modules(t), filepath.Join("testdata", "client.mjs")
	s := program(t)
	out, err := exec.CommandContext(t.Context(), testbed.Node(t), script, modules, s.url).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"read_file"`) || !strings.Contains(string(out), "hi there") {
		t.Errorf("%v %s\n%s", err, out, s.said())
	}
	if cause := s.awaitEnds(1); cause != "deleted" {
		t.Errorf("cause %s", cause)
	}
}
