package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

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
	var l struct{ Packages []struct{ Path string } }
	if err := json.Unmarshal([]byte(stdout), &l); err != nil || len(l.Packages) != 2 {
		t.Fatalf("%s: %v", stdout, err)
	}
	u.registry.Add(published("acme", "1.2.0"))
	must(t, "store", "update")
	stdout, stderr := must(t, "store", "update", "acme")
	if stderr != "mcp-sandbox: nothing newer for npm:acme than 1.2.0, which is in the store\n" || !strings.HasPrefix(stdout, "npm:acme@1.2.0  ") {
		t.Errorf("update of what is new: %s%s", stdout, stderr)
	}
	if stdout, _ = must(t, "store", "prune"); !strings.HasPrefix(stdout, "0 packages removed, ") {
		t.Errorf("prune of what exact versions ask for: %s", stdout)
	}
	stdout, _ = must(t, "store", "prune", "--json")
	if !strings.Contains(stdout, `"removed": []`) || !strings.Contains(stdout, `"freed": 0`) {
		t.Errorf("prune --json: %s", stdout)
	}
	if stdout, _ = must(t, "store", "prune", "--keep", "1K"); !strings.HasPrefix(stdout, "3 packages removed, ") {
		t.Errorf("prune --keep: %s", stdout)
	}
	refused(t, []string{"store", "update", "acme"}, "not in the store")
	stdout, stderr = must(t, "store", "update", "--json")
	if stdout != "{\n  \"packages\": []\n}\n" || !strings.HasPrefix(stderr, "mcp-sandbox: store update: nothing is newer: ") {
		t.Errorf("update of nothing: %s%s", stdout, stderr)
	}
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
	stdout, _ = must(t, "store", "show", "acme", "--json")
	var l struct{ Packages []struct{ Path string } }
	if err := json.Unmarshal([]byte(stdout), &l); err != nil || len(l.Packages) != 1 {
		t.Fatalf("%v: %s", err, stdout)
	}
	folder = l.Packages[0].Path
	if err := errors.Join(os.Chmod(folder, 0o755), os.Remove(folder+"/"+store.ManifestName), os.Chmod(folder, 0o555)); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{nil, {"acme"}} {
		code, stdout, stderr := program(t, append([]string{"store", "verify"}, names...)...)
		if code != 1 || !strings.HasPrefix(stdout, folder) || stderr != "" {
			t.Errorf("verify %q without the manifest: %d %s%s", names, code, stdout, stderr)
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
	testbed.Await(t, "a second question to the registry", func() bool { return len(u.registry.Asked()) >= 2 })
	cmd.Process.Signal(syscall.SIGTERM)
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	testbed.Receive(t, "the end of the install", over)
	if code := cmd.ProcessState.ExitCode(); code != 143 || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("%d %s", code, errs.String())
	}
	left, _ := filepath.Glob(filepath.Join(u.home, ".local/share/mcp-sandbox/store/.stages/*"))
	stdout, _ := must(t, "store", "list")
	if len(left) > 0 || stdout != "" {
		t.Errorf("left: %v %s", left, stdout)
	}
}
