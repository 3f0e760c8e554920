package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A user is a home of the test's own, with a registry on loopback.
type user struct {
	home     string
	registry *registrytest.Registry
}

// newUser makes the home, in which every command of the test runs.
func newUser(t *testing.T, packages ...registrytest.Package) *user {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		testbed.Missing(t, "npm", "there is no npm")
	}
	u := &user{home: testbed.Folder(t), registry: registrytest.New(t, packages...)}
	t.Cleanup(func() { // read-only folders, which an ordinary user cannot remove
		filepath.WalkDir(u.home, func(at string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				os.Chmod(at, 0o755)
			}
			return nil
		})
	})
	if err := os.Chmod(u.home, 0o755); err != nil { // npm's cache must not lie in a folder that everybody can write
		t.Fatal(err)
	}
	t.Setenv("HOME", u.home)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	u.write(t, ".npmrc", "registry="+u.registry.URL+"\n")
	return u
}

func (u *user) write(t *testing.T, name, text string) string {
	t.Helper()
	at := filepath.Join(u.home, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return at
}

// explorer is a program that tries what a server of a package may not do, and prints what came of each.
const explorer = `#!/usr/bin/env node
const fs = require('fs'), path = require('path')
const attempt = f => { try { return String(f()) } catch (e) { return e.code } }
const root = path.dirname(path.dirname(process.argv[1]))
console.log(JSON.stringify({
  argv: process.argv.slice(2),
  bin: process.env.PATH.split(':')[0] === path.join(root, '.bin'),
  own: attempt(() => fs.writeFileSync(path.join(root, 'new'), 'x') || 'written'),
  neighbours: attempt(() => fs.readdirSync(path.dirname(path.dirname(path.dirname(root))))),
  home: attempt(() => fs.readdirSync(process.env.HOME).sort()),
  given: attempt(() => fs.writeFileSync(path.join(process.argv[2] || '/none', 'made'), 'x') || 'written'),
  secret: process.env.OTHER_TOKEN || '',
}))
`

// published is a package whose program is the explorer.
func published(name, version string) registrytest.Package {
	return registrytest.Package{Name: name, Version: version,
		Manifest: map[string]any{"bin": map[string]string{filepath.Base(name): "cli.js"}},
		Files:    []registrytest.File{{Name: "cli.js", Text: explorer, Mode: 0o755}}}
}

// must runs a command that has to succeed.
func must(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := program(t, args...)
	if code != 0 {
		t.Fatalf("%q: %d %s %s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

const filesystem = "@modelcontextprotocol/server-filesystem"

// The first start of a package installs it, and every other one needs no registry. The profile gives the folder that
// the server is started with, and nothing else of the home.
func TestFirstAndSecondStart(t *testing.T) {
	u := newUser(t, published(filesystem, "1.0.0"))
	u.write(t, "diary", "private")
	project := filepath.Dir(u.write(t, "project/notes", "mine"))
	if err := os.Chmod(project, 0o777); err != nil { // root's server is another user
		t.Fatal(err)
	}
	t.Setenv("OTHER_TOKEN", "s3cret")
	report := filepath.Join(u.home, "report")
	line := []string{"run", "--report", report, "--", "npx", "-y", filesystem, project, "--", "-x"}
	want := `{"argv":["` + project + `","--","-x"],"bin":true,"own":"EROFS","neighbours":"server-filesystem",` +
		`"home":".local,project","given":"written","secret":""}` + "\n"
	const told = "mcp-sandbox: installed npm:" + filesystem + " 1.0.0 (1 package) in "
	stdout, stderr := must(t, line...)
	if stdout != want || !strings.HasPrefix(stderr, told) || strings.Count(stderr, "installed") != 1 {
		t.Errorf("%s%s", stdout, stderr)
	}
	u.registry.Behave(registrytest.Behaviour{Hang: registrytest.AtMetadata})
	stdout, stderr = must(t, line...)
	if stdout != want || strings.Contains(stderr, "installed") {
		t.Errorf("the second start: %s%s", stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(project, "made")); err != nil {
		t.Error(err)
	}
	_, stderr = must(t, append([]string{"run", "--verbose"}, line[3:]...)...)
	for _, told := range []string{"mcp-sandbox: package " + filesystem + " 1.0.0 of http://127.0.0.1:",
		"mcp-sandbox: profile npm:" + filesystem + " is part of the policy"} {
		if !strings.Contains(stderr, told) {
			t.Errorf("--verbose says %s", stderr)
		}
	}
	stdout, _ = must(t, "report", "--json", report)
	var r struct {
		Enforced struct {
			Profile string
			Package struct{ Manager, Spec, Name, Version, Integrity, Registry, Path string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	p := r.Enforced.Package
	if r.Enforced.Profile != "npm:"+filesystem || p.Manager != "npm" || p.Spec != "npm:"+filesystem || p.Version != "1.0.0" ||
		!strings.HasPrefix(p.Integrity, "sha512-") || !strings.HasPrefix(p.Registry, "http://127.0.0.1:") {
		t.Errorf("%+v", r.Enforced)
	}
}

// What a profile adds can be left out, and is not there where a policy is given.
func TestWithoutProfile(t *testing.T) {
	u := newUser(t, published(filesystem, "1.0.0"))
	project := filepath.Dir(u.write(t, "project/notes", "mine"))
	document := u.write(t, "policy.json", `{"version": 1}`)
	for _, flags := range [][]string{{"--profile", "none"}, {"--policy", document}} {
		stdout, stderr := must(t, append(append([]string{"run"}, flags...), "npx", "-y", filesystem, project)...)
		if !strings.Contains(stdout, `"home":".local","given":"ENOENT"`) {
			t.Errorf("%q: %s%s", flags, stdout, stderr)
		}
	}
	stdout, _ := must(t, "policy", "show", "--", "npx", "-y", "@modelcontextprotocol/server-slack")
	if !strings.Contains(stdout, `"slack.com:443"`) {
		t.Errorf("no host of the profile: %s", stdout)
	}
	stdout, _ = must(t, "policy", "show", "--level", "strict", "--", "npx", "-y", "@modelcontextprotocol/server-slack")
	if strings.Contains(stdout, "slack.com") || !strings.Contains(stdout, "SLACK_BOT_TOKEN") {
		t.Errorf("a level of the user's own, and hosts of the profile: %s", stdout)
	}
	stdout, _ = must(t, "policy", "show", "--profile", "npm:@modelcontextprotocol/server-slack")
	if !strings.Contains(stdout, `"slack.com:443"`) {
		t.Errorf("--profile adds no host: %s", stdout)
	}
}
