package pipeline

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What is not understood runs as it is, and that is told. What the project has itself does not come first.
func TestAsItIs(t *testing.T) {
	at := t.TempDir() + "/p/node_modules/.bin"
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at+"/mine", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(at)
	for line, installs := range map[string]bool{
		"npx -y acme": true, "npx -y mine@1": true, "pnpm dlx mine": true, "node server.js": false,
		"npx -y mine": true, "bunx mine": true, "deno run jsr:@x/y": false, "npx -y --foreground-scripts acme": false, "npx -y file:../acme": false,
		"npx -y github:acme/acme": false, "npx -y alias@npm:acme": false, "npx -y https://x.example/acme.tgz": false,
	} {
		s := New(cli.NewFlags()).Start(strings.Fields(line))
		told := len(s.Notes) == 1 && strings.HasSuffix(s.Notes[0], AsItIs)
		if (s.Package != nil) != installs || told != (!installs && !strings.HasPrefix(line, "node")) {
			t.Errorf("%s: %+v, told %q", line, s.Package, s.Notes)
		}
		projects := len(s.Notes) == 1 && strings.Contains(s.Notes[0], "/p/node_modules has mine too, which is not started")
		if projects != (line == "npx -y mine" || line == "bunx mine") {
			t.Errorf("%s: told %q", line, s.Notes)
		}
	}
}

// A path of a profile's is named by the profile, one of the document by its place there, one of a flag by the flag.
func TestPlacesOfPaths(t *testing.T) {
	l := New(cli.NewFlags())
	l.Source.File = "p.json"
	l.Settings = []launchflags.Setting{{Key: "filesystem.allowWrite", Flag: "--allow-write", Value: "/c"}}
	p := &policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{"/a", "/b", "/c"}}}
	r := review{line: l, policy: p, profile: &profile.Profile{Package: "npm:x"}, added: map[string]int{"filesystem.allowWrite": 1}}
	want := []string{"profile npm:x: allowWrite", "p.json: /filesystem/allowWrite/0", "--allow-write"}
	for i, at := range r.placed("filesystem.allowWrite") {
		if at.where != want[i] {
			t.Errorf("%s: %q, want %q", at.path, at.where, want[i])
		}
	}
}
