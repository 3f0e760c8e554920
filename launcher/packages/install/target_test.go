package install

import (
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A target becomes that of the program: its variables count before the policy's of the same name, and the host's own
// policy and environment stay as they are.
func TestApply(t *testing.T) {
	p := &store.Package{Path: "/s/deno/x/1"}
	p.Manager, p.Name, p.Version = "deno", "x", "1.0.0"
	r := &Ready{Package: p, Command: []string{"deno", "run", "npm:x@1.0.0"}, PathDir: "/s/bin", Env: []string{"DENO_DIR=/s/deno"},
		spec: "npm:x@^1"}
	env := make([]string, 1, 8)
	env[0] = "PATH=/usr/bin"
	given := policy.Policy{Env: []policy.Variable{{Name: "DENO_DIR", Value: "/elsewhere"}, {Name: "A", Value: "1"}}}
	pol, target := r.Apply(given, launcher.Target{Path: "npx", Dir: "/work", Env: env, Profile: "npm:x"})
	if want := []policy.Variable{{Name: "A", Value: "1"}, {Name: "DENO_DIR", Value: "/s/deno"}}; !slices.Equal(pol.Env, want) {
		t.Errorf("%+v", pol.Env)
	}
	if path := order.Lookup(target.Env, "PATH"); path != "/s/bin:/usr/bin" || target.Path != "deno" || len(target.Args) != 2 ||
		target.Dir != "/work" || target.Profile != "npm:x" {
		t.Errorf("%+v", target)
	}
	if id := target.Package; id.Spec != "npm:x@^1" || id.Manager != "deno" || id.Version != "1.0.0" || id.Path != p.Path {
		t.Errorf("%+v", id)
	}
	if given.Env[0].Value != "/elsewhere" || env[:2][1] != "" {
		t.Errorf("the host's own: %+v %q", given.Env, env[:2])
	}
	if got := r.Path("node_modules/.bin::/w/node_modules/.bin/:/usr/bin:.:/w/bin"); got != "/s/bin:/usr/bin:/w/bin" {
		t.Errorf("what a working folder decides stays in PATH: %s", got)
	}
	if _, target = (&Ready{Package: p, Command: r.Command, PathDir: "/s/bin"}).Apply(given, launcher.Target{Env: []string{}}); target.Env[0] !=
		"PATH=/s/bin:/usr/local/bin:/usr/bin:/bin" {
		t.Errorf("%q", target.Env)
	}
}
