package launcher_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A host's server is started from a package, and the report says from which and with which profile.
func TestTargetWithPackage(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	at := home + "/.local/share/mcp-sandbox/store/npm/x/1"
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at+"/program", []byte("#!/bin/sh\n:\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	target := launcher.Target{Path: at + "/program", Dir: "/", Profile: "npm:x",
		Package: &launcher.PackageID{Manager: "npm", Name: "x", Version: "1", Path: at}}
	sb, err := launcher.Command(within(t), policy.Policy{MinConfinement: policy.Full}, target)
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	if err := sb.Cmd.Run(); err != nil {
		t.Error(err)
	}
	r, err := sb.Report(within(t))
	if err != nil || r.Package == nil || *r.Package != *target.Package || r.Profile != "npm:x" || len(r.ImpliedGrants) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	a, err := launcher.Why(context.Background(), policy.Policy{}, target, launcher.Question{Path: at + "/program"})
	if err != nil || a.Allowed != launcher.ActAllowed {
		t.Errorf("%+v, %v", a, err)
	}
	link := home + "/link"
	if err := os.Symlink(at, link); err != nil {
		t.Fatal(err)
	}
	var read policy.Policy
	read.Filesystem.AllowRead = []string{link}
	for to, starts := range map[string]bool{at: true, home: false} { // what another server can do behind the profile's look
		target.Leads = []order.Lead{{Path: link, To: to}}
		sb, err := launcher.Command(within(t), read, target)
		if err != nil {
			t.Fatal(err)
		}
		defer sb.Close()
		sb.Cmd.Run()
		if _, err := sb.Report(within(t)); (err == nil) != starts || !starts && !strings.Contains(err.Error(), link+": leads elsewhere") {
			t.Errorf("the link led to %s: %v", to, err)
		}
	}
	target.Package.Path, target.Leads = home, nil
	if sb, err = launcher.Command(within(t), policy.Policy{}, target); err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	sb.Cmd.Run()
	if _, err := sb.Report(within(t)); err == nil {
		t.Error("a package outside of the store")
	}
}
