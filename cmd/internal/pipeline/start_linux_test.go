package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
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

// decided is the decision of a command line: its flags, and behind "--" the command.
func decided(t *testing.T, words ...string) (*Line, *Start, *Decision) {
	t.Helper()
	f := cli.NewFlags()
	l := ForLaunch(f)
	rest, err := f.Parse(words)
	if err != nil {
		t.Fatal(err)
	}
	s := l.Start(rest[1:])
	d, why := l.Decide(s, nil)
	if len(why) > 0 {
		t.Fatal(why)
	}
	return l, s, d
}

// Of a line that names several packages the profile is that of the package which has the program.
func TestProfileOfTheOwner(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	const slack = "@modelcontextprotocol/server-slack"
	l, s, d := decided(t, "--", "npx", "-y", "-p", "acme", "-p", slack, "program")
	if hosts := d.Policy.Network.AllowedDomains; len(hosts) > 0 {
		t.Errorf("before the owner is known: %q", hosts)
	}
	for owner, want := range map[string]bool{"acme": false, slack: true} {
		again, why := l.DecideOwner(s, d, &install.Ready{Owner: owner})
		if len(why) > 0 {
			t.Fatal(why)
		}
		if hosts := again.Policy.Network.AllowedDomains; slices.Contains(hosts, "slack.com:443") != want {
			t.Errorf("%s has the program: %q", owner, hosts)
		}
	}
}

// Paths of a profile come before those of flags, which are looked up first from the end; and the order says where
// those of the profile led.
func TestPathsOfProfileComeFirst(t *testing.T) {
	given, behind := t.TempDir(), t.TempDir()
	own := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(behind, own); err != nil {
		t.Fatal(err)
	}
	l, s, d := decided(t, "--profile", "npm:@modelcontextprotocol/server-filesystem", "--allow-write", given, "--", "server", own)
	if got := d.Policy.Filesystem.AllowWrite; !slices.Equal(got, []string{own, given}) {
		t.Errorf("%q, want %q in front of %q", got, own, given)
	}
	if got := l.Order(s, d, nil).Leads; !slices.Equal(got, []order.Lead{{Path: own, To: behind}}) {
		t.Errorf("the profile's path led to %q, not to %s", got, behind)
	}
}

// A host's policy that confines nothing installs nothing: the command runs as it is.
func TestNothingIsInstalledUnconfined(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	l, s, d := decided(t, "--", "npx", "-y", "acme")
	d.Policy.Level = policy.Privileged
	t.Setenv("PATH", home) // an install would have no npm
	r, note, err := l.Prepare(s, d)
	if r != nil || note != nil || err != nil {
		t.Errorf("%v, %q, %v", r, note, err)
	}
	if left, err := os.ReadDir(home); len(left) > 0 || err != nil {
		t.Errorf("the store was opened: %v, %v", left, err)
	}
}
