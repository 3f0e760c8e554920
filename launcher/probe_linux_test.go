package launcher_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a probe found is what a launch then reaches, on whatever machine this is: the same confinement with the same
// states of the layers, or a refusal by the same layer.
func TestProbe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	began := time.Now()
	m, err := launcher.Probe(ctx)
	noTime := func(c launcher.Check) bool { return strings.Contains(c.Detail, "had no time to start a daemon") }
	for err == nil && slices.ContainsFunc(m.Checks, noTime) { // a slow machine
		m, err = launcher.Probe(ctx)
	}
	if err != nil {
		t.Fatal(err)
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
	var refused *launcher.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if (m.Refused == nil) != (refused == nil) {
		t.Fatalf("probed: %v; launched: %v", m.Refused, refused)
	}
	for _, c := range m.Checks {
		t.Logf("%s: %s: %s", c.Name, c.State, c.Detail)
	}
	if refused != nil {
		if m.Refused.Layer != refused.Layer || m.Refused.Op != refused.Op || m.Confinement == policy.Full {
			t.Errorf("probed: %v, %s; launched: %v", m.Refused, m.Confinement, refused)
		}
		return
	}
	if string(m.Confinement) != report.Confinement || m.Kernel != report.Kernel || len(m.Layers) != len(report.Layers) {
		t.Fatalf("probed %s on %s with %d layers, launched %s on %s with %d",
			m.Confinement, m.Kernel, len(m.Layers), report.Confinement, report.Kernel, len(report.Layers))
	}
	for i := range m.Layers {
		if m.Layers[i].State != report.Layers[i].State {
			t.Errorf("%s: probed %s, launched %s", m.Layers[i].Layer, m.Layers[i].State, report.Layers[i].State)
		}
	}
	for _, c := range m.Checks {
		if c.Name == "Timeout and whole-tree kill" && c.State != launcher.Works {
			t.Errorf("%+v", c)
		}
	}
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("in %v no server ran into the time limit of a trial", took)
	}
}
