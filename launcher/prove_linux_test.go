package launcher_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Prove tells what a launch of the same command would, and the command does not run. The launch is the control: there it
// does. The records of a launch have one id, and others than another's.
func TestProve(t *testing.T) {
	folder := testbed.Folder(t)
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	ran := filepath.Join(folder, "ran")
	p := policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{folder}}}
	target := launcher.Target{Path: "/bin/sh", Args: []string{"-c", "echo ran > " + ran}, Dir: "/"}
	proved, err := launcher.Prove(within(t), p, target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Fatal("the command ran")
	}
	sb, err := launcher.Command(t.Context(), p, target)
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer sb.Cmd.Wait()
	report, err := sb.Report(within(t))
	if err != nil {
		t.Fatal(err)
	}
	end, err := sb.Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Error("the control did not run:", err)
	}
	if proved.Confinement != report.Confinement || proved.PolicySHA256 != report.PolicySHA256 || len(proved.Layers) != len(report.Layers) {
		t.Errorf("proved %+v, launched %+v", proved, report)
	}
	if report.ID == "" || report.ID != end.ID || report.ID == proved.ID || end.Time.Before(report.Time) || report.Time.IsZero() {
		t.Errorf("ids %q and %q, and %q; times %s and %s", report.ID, end.ID, proved.ID, report.Time, end.Time)
	}

	var refused *launcher.Error
	p.Filesystem.AllowRead = []string{filepath.Join(folder, "none")}
	if _, err := launcher.Prove(within(t), p, target); !errors.As(err, &refused) || refused.Layer != order.Policy {
		t.Error(err)
	}
}
