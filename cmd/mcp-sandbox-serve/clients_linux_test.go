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
	s.started(4)
	testbed.Await(t, "the end of the legacy sessions", func() bool { return s.count("sandbox ended") == 3 })
}

// So do the TypeScript SDK's of both versions, the second in each era, and with a server that knows no other than the old one.
func TestTypeScriptClients(t *testing.T) {
	t.Parallel()
	modules, script := testbed.Modules(t), filepath.Join("testdata", "client.mjs")
	sdk := program(t)
	for mode, try := range map[string]struct {
		served  *served
		version string
	}{"": {sdk, "2025-11-25"}, "legacy": {sdk, "2025-11-25"}, "auto": {sdk, "2026-07-28"}, "auto ": {launch(t, "legacy"), "2025-11-25"}} {
		words := append([]string{script, modules, try.served.url}, strings.Fields(mode)...)
		out, err := exec.CommandContext(t.Context(), testbed.Node(t), words...).CombinedOutput()
		for _, want := range []string{`"version":"` + try.version, "hi there"} {
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%q: no %s: %v %s\n%s", mode, want, err, out, try.served.said())
			}
		}
		if try.served == sdk && !strings.Contains(string(out), `"read_file"`) {
			t.Errorf("%q: %s", mode, out)
		}
	}
	if cause := sdk.awaitEnds(2); cause != "deleted" {
		t.Errorf("cause %s", cause)
	}
}
