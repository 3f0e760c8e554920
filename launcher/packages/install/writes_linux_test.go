package install

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// writesNowhere starts the program of a line in a sandbox as `run` does. What the program gets behind the word "write"
// are files, and it says of each that it wrote or was refused. Those of its own package are refused. A file beside the
// package or in a neighbour's is refused or lies in the sandbox's private folders.
func (h *home) writesNowhere(t *testing.T, line string) {
	t.Helper()
	p := h.must(t, line).Package
	manager := filepath.Join(h.store.Path, p.Manager)
	neighbour := filepath.Join(manager, "neighbour")
	if err := os.Mkdir(neighbour, 0o777); err != nil {
		t.Fatal(err)
	}
	own := []string{p.Path + "/new"}
	for _, pattern := range []string{"/*", "/*/*"} { // what is there already
		there, err := filepath.Glob(p.Path + pattern)
		if err != nil {
			t.Fatal(err)
		}
		own = append(own, there...)
	}
	const free = "/tmp/mcp-sandbox-test-new"
	want := "refused " + strings.Join(own, "\nrefused ") + "\nwrote " + free + "\n"
	outside := []string{filepath.Dir(p.Path) + "/new", manager + "/new", neighbour + "/new", h.store.Path + "/new", h.path + "/new", free}
	r := h.must(t, line+" write "+strings.Join(slices.Concat(own, []string{free}, outside), " "))
	allowed := policy.Policy{MinConfinement: policy.Full}
	for _, v := range r.Env {
		name, value, _ := strings.Cut(v, "=")
		allowed.Env = append(allowed.Env, policy.Variable{Name: name, Value: value})
	}
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	sb, err := launcher.Command(ctx, allowed, launcher.Target{Path: r.Command[0], Args: r.Command[1:], Env: h.options.Env, Dir: "/",
		Package: &launcher.PackageID{Manager: p.Manager, Spec: p.Specs[0], Name: p.Name, Version: p.Version, Path: p.Path}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	var out bytes.Buffer
	sb.Cmd.Stdout, sb.Cmd.Stderr = &out, &out
	if err := sb.Cmd.Run(); err != nil || !strings.HasPrefix(out.String(), want) {
		t.Errorf("%v: %s; want %s", err, out.String(), want)
	}
	if err := r.Package.Check(); err != nil {
		t.Error(err)
	}
	for _, file := range outside {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s is there", file)
		}
	}
}
