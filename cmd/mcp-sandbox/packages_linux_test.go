package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
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

// A start without a version keeps what was resolved first, until an update; an exact version is another package.
func TestUpdate(t *testing.T) {
	u := newUser(t, published("acme", "1.0.0"))
	version := func(spec string) string {
		t.Helper()
		report := filepath.Join(u.home, "report")
		must(t, "run", "--quiet", "--report", report, "npx", "-y", spec)
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), `"version":"`)
		found, _, _ := strings.Cut(rest, `"`)
		return found
	}
	is := func(spec, want string) {
		t.Helper()
		if got := version(spec); got != want {
			t.Errorf("%s started %s, want %s", spec, got, want)
		}
	}
	is("acme", "1.0.0")
	u.registry.Add(published("acme", "1.1.0"))
	is("acme", "1.0.0")
	is("acme@1.1.0", "1.1.0")
	stdout, _ := must(t, "store", "update", "--quiet", "acme")
	if !strings.HasPrefix(stdout, "npm:acme@1.1.0  "+u.home) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("update: %s", stdout)
	}
	is("acme", "1.1.0")
	is("acme@1.0.0", "1.0.0")
	stdout, _ = must(t, "store", "list", "--json")
	var l listing
	if err := json.Unmarshal([]byte(stdout), &l); err != nil || len(l.Packages) != 2 {
		t.Fatalf("%s: %v", stdout, err)
	}
	u.registry.Add(published("acme", "1.2.0"))
	must(t, "store", "update")
	must(t, "store", "update", "acme")
	if stdout, _ = must(t, "store", "prune"); !strings.HasPrefix(stdout, "0 packages removed, ") {
		t.Errorf("prune of what exact versions ask for: %s", stdout)
	}
	if stdout, _ = must(t, "store", "prune", "--keep", "1K"); !strings.HasPrefix(stdout, "3 packages removed, ") {
		t.Errorf("prune --keep: %s", stdout)
	}
	refused(t, []string{"store", "update", "acme"}, "not in the store")
}

// A package that was changed is not started, and an update mends it.
func TestChangedPackage(t *testing.T) {
	newUser(t, published("acme", "1.0.0"))
	stdout, stderr := must(t, "install", "npm:acme")
	folder := strings.Fields(stdout)[1]
	if !strings.Contains(stderr, "installed npm:acme 1.0.0 (1 package)") {
		t.Error(stderr)
	}
	must(t, "store", "verify")
	file := folder + "/node_modules/acme/cli.js"
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	evil := bytes.Replace([]byte(explorer), []byte("attempt"), []byte("attemqt"), 1)
	if err := errors.Join(os.Chmod(file, 0o755), os.WriteFile(file, evil, 0), os.Chmod(file, info.Mode().Perm()),
		os.Chtimes(file, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	refused(t, []string{"run", "npx", "-y", "acme"}, "mcp-sandbox store update acme")
	code, stdout, _ := program(t, "store", "verify", "acme")
	if code != 1 || !strings.HasPrefix(stdout, file+": ") {
		t.Errorf("verify: %d %s", code, stdout)
	}
	must(t, "store", "update", "acme")
	must(t, "store", "verify", "acme")
	must(t, "run", "npx", "-y", "acme")
}

// What is not understood, and what the project has itself, runs as it is, and that is told.
func TestAsItIs(t *testing.T) {
	u := newUser(t)
	t.Chdir(filepath.Dir(u.write(t, "p/node_modules/.bin/mine", "#!/bin/sh\n")))
	for line, installs := range map[string]bool{
		"npx -y acme": true, "npx -y mine@1": true, "pnpm dlx mine": false, "node server.js": false,
		"npx -y mine": false, "npx -y --foreground-scripts acme": false, "npx -y file:../acme": false,
		"npx -y github:acme/acme": false, "npx -y alias@npm:acme": false, "npx -y https://x.example/acme.tgz": false,
	} {
		o := runOptions()
		if err := readStart(o, strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		told := len(o.notes) == 1 && strings.HasSuffix(o.notes[0], asItIs)
		known := strings.HasPrefix(line, "node") || strings.HasPrefix(line, "pnpm")
		if (o.start != nil) != (installs || strings.HasPrefix(line, "pnpm")) || told != (!installs && !known) {
			t.Errorf("%s: %+v, told %q", line, o.start, o.notes)
		}
	}
}

// Install scripts do not run unless they are asked for, and that is told.
func TestInstallScripts(t *testing.T) {
	scripted := published("acme", "1.0.0")
	scripted.Manifest["scripts"] = map[string]string{"install": "node -e \"require('fs').writeFileSync('ran', '')\""}
	scripted.Manifest["hasInstallScript"] = true
	newUser(t, scripted)
	stdout, stderr := must(t, "install", "npm:acme")
	ran := strings.Fields(stdout)[1] + "/node_modules/acme/ran"
	if _, err := os.Stat(ran); err == nil || !strings.Contains(stderr, "acme") || !strings.Contains(stderr, "--scripts") {
		t.Errorf("%v %s", err, stderr)
	}
	stdout, stderr = must(t, "install", "--scripts", "npm:acme")
	if _, err := os.Stat(strings.Fields(stdout)[1] + "/node_modules/acme/ran"); err != nil {
		t.Errorf("%v %s", err, stderr)
	}
}

// Two starts at once share one install.
func TestTwoStarts(t *testing.T) {
	newUser(t, published("acme", "1.0.0"))
	var wait sync.WaitGroup
	installed := make([]string, 3)
	for i := range installed {
		wait.Go(func() {
			if code, stdout, stderr := program(t, "run", "npx", "-y", "acme"); code != 0 || !strings.HasPrefix(stdout, `{"argv"`) {
				t.Errorf("%d %s %s", code, stdout, stderr)
			} else {
				installed[i] = stderr
			}
		})
	}
	wait.Wait()
	if all := strings.Join(installed, ""); strings.Count(all, "installed npm:acme") != 1 {
		t.Errorf("told: %q", all)
	}
}

// A signal ends an install, with nothing left of it.
func TestInstallInterrupted(t *testing.T) {
	u := newUser(t, published("acme", "1.0.0"))
	u.registry.Behave(registrytest.Behaviour{Hang: registrytest.AmidArchive})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args, cmd.Stderr, cmd.Dir = []string{"mcp-sandbox", "run", "npx", "-y", "acme"}, &errs, t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(testbed.Patience())
	for len(u.registry.Asked()) < 2 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	began := time.Now()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%d %s", code, errs.String())
	}
	if took := time.Since(began); took > testbed.Patience() {
		t.Errorf("after %v", took)
	}
	left, _ := filepath.Glob(filepath.Join(u.home, ".local/share/mcp-sandbox/store/.stages/*"))
	stdout, _ := must(t, "store", "list")
	if len(left) > 0 || stdout != "" {
		t.Errorf("left: %v %s", left, stdout)
	}
}
