package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// clientFails are the scenarios of this version of the suite that the Go SDK's client fails by itself.
var clientFails = []string{
	"auth/2025-03-26-oauth-metadata-backcompat", "auth/client-credentials-basic", "auth/client-credentials-jwt",
	"auth/cross-app-access-complete-flow"}

// The suite finds in a client that reaches the suite's servers by its list of domains what it finds without a sandbox: MCP
// over HTTP, streams of events that end and come again, and OAuth between servers of several ports.
func TestClient(t *testing.T) {
	program := testbed.Conformance(t, "everything-client")
	bare := runSuite(t, "client", "--suite", "all", "--command", program)
	if failed := bare.failed(); len(bare) < 25 || !slices.Equal(failed, clientFails) {
		t.Fatalf("%d scenarios, without a sandbox these failed: %q", len(bare), failed)
	}
	var ports []string
	for port := firstPort; port <= lastPort; port++ {
		ports = append(ports, fmt.Sprint("localhost:", port))
	}
	for _, level := range levels() {
		t.Run(level, func(t *testing.T) {
			w := wrap(t, program, level, ports)
			runSuite(t, "client", "--suite", "all", "--command", w.script).same(t, bare)
			w.used(t, len(bare), len(bare)-len(clientFails))
		})
	}
}

// used demands so many launches, each with a proved network, and that so many of them reached a server.
func (w wrapper) used(t *testing.T, launches, reached int) {
	t.Helper()
	all := w.reports(t)
	connections := int64(0)
	for _, r := range all {
		if l := r.Layer(order.Network); l.State != order.Proved || r.Exited.Cause != order.CauseExit {
			t.Errorf("layer network is %s, the end %+v", l.State, r.Exited)
		}
		for _, e := range r.Exited.Egress {
			connections += e.Connections
		}
		if len(r.Exited.Egress) > 0 {
			reached--
		}
	}
	if len(all) != launches || reached > 0 {
		t.Errorf("%d launches for %d scenarios; %d more should have reached a server", len(all), launches, reached)
	}
	t.Logf("%d launches, %d connections", len(all), connections)
}

// A list without the suite's ports lets nothing through, so the scenario that passes otherwise fails.
func TestClientRefused(t *testing.T) {
	w := wrap(t, testbed.Conformance(t, "everything-client"), "standard", []string{"localhost:1"})
	if all := runSuite(t, "client", "--scenario", "initialize", "--command", w.script); !slices.Equal(all.failed(), []string{"initialize"}) {
		t.Errorf("%q", all)
	}
	for _, r := range w.reports(t) {
		refused := func(d order.DeniedCount) bool { return d.Kind == order.DeniedPort && d.Host == "localhost" }
		if !slices.ContainsFunc(r.Exited.Denied, refused) || len(r.Exited.Egress) > 0 {
			t.Errorf("%+v", r.Exited)
		}
	}
}

// A wrapper is a command that runs a program in a sandbox.
type wrapper struct{ script, folder string }

// wrap makes a command that runs a program by mcp-sandbox.
func wrap(t *testing.T, program, level string, domains []string) wrapper {
	t.Helper()
	w := wrapper{folder: testbed.Folder(t)}
	w.script = filepath.Join(w.folder, "client")
	policy, err := json.Marshal(map[string]any{"version": 1, "level": level, "envVars": []string{"MCP_CONFORMANCE_*"},
		"filesystem": map[string]any{"allowRead": []string{program}}, "network": map[string]any{"allowedDomains": domains}})
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %s run --policy %[2]s/policy.json --report %[2]s/$$.jsonl -- %s \"$@\"\n",
		testbed.Command(t, "mcp-sandbox"), w.folder, program)
	for name, text := range map[string]string{"client": script, "policy.json": string(policy)} {
		if err := os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// reports are those of all launches.
func (w wrapper) reports(t *testing.T) (all []host.Report) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(w.folder, "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no reports: %v", err)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := host.ReadReport(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, r)
	}
	return all
}
