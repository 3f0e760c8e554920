package launcher_test

import (
	"context"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What a probe found is what a launch then reaches.
func TestProbe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m, err := launcher.Probe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if m.Refused != nil {
		t.Fatalf("this machine cannot confine: %v", m.Refused)
	}
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/true", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer sb.Cmd.Wait()
	report, err := sb.Report(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Confinement) != report.Confinement || m.Kernel != report.Kernel || len(m.Layers) != len(report.Layers) {
		t.Errorf("probed %s on %s with %d layers, launched %s on %s with %d",
			m.Confinement, m.Kernel, len(m.Layers), report.Confinement, report.Kernel, len(report.Layers))
	}
	for i := range m.Layers {
		if m.Layers[i].State != report.Layers[i].State {
			t.Errorf("%s: probed %s, launched %s", m.Layers[i].Layer, m.Layers[i].State, report.Layers[i].State)
		}
	}
}
