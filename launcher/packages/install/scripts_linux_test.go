package install

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// leaves is an install script that says what it sees.
const leaves = `sh -c 'env > env; cat "$HOME/.npmrc" $(find ../.. -type f ! -name files) > files 2>&1; ls -a "$HOME" > home'`

// Install scripts do not run unless they are wanted, whatever the registry says of them, and that is told.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts := keys{"scripts": map[string]string{"postinstall": leaves}}
	h := newHome(t, runnable(pack{Name: "x", Manifest: keys{"dependencies": map[string]string{"open": "1", "hidden": "1", "gyp": "1"}}}),
		pack{Name: "open", Version: "1.0.0", Manifest: scripts}, pack{Name: "hidden", Version: "1.0.0", Unlisted: scripts},
		pack{Name: "gyp", Version: "1.0.0", Files: []file{{Name: "binding.gyp", Text: "{}"}}},
		runnable(pack{Name: "y", Manifest: scripts}))
	r := h.must(t, "npx -y x")
	if want := "install scripts of gyp, hidden, open were not run (--scripts)"; len(r.Lines) != 2 || r.Lines[1] != want {
		t.Errorf("%q", r.Lines)
	}
	for _, name := range []string{"open", "hidden"} {
		if _, err := os.Stat(filepath.Join(r.Package.Path, "node_modules", name, "env")); err == nil {
			t.Errorf("the script of %s ran", name)
		}
	}
	h.registry.Behave(registrytest.Behaviour{Token: token})
	h.configure(t, "registry="+h.registry.URL+"\n"+strings.TrimPrefix(h.registry.URL, "http:")+":_authToken="+token+"\n")
	h.options.Scripts, h.options.RegistryAuth = true, true
	r = h.must(t, "npx -y y")
	if !r.Package.ScriptsRan || len(r.Lines) != 1 || !strings.Contains(r.Lines[0], "install scripts were allowed") {
		t.Errorf("%q", r.Lines)
	}
	for _, name := range []string{"env", "files", "home"} {
		b, err := os.ReadFile(filepath.Join(r.Package.Path, "node_modules", "y", name))
		if err != nil || strings.Contains(string(b), token) || strings.Contains(string(b), "s3cret") {
			t.Errorf("%s: %s, %v", name, b, err)
		}
		if name == "env" && !strings.Contains(string(b), "npm_lifecycle_event=postinstall") {
			t.Errorf("%s: %s", name, b)
		}
	}
}

// With scripts a package that was installed without is installed anew, and one without scripts is not.
func TestScriptsLater(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, append(good(), runnable(pack{Name: "y", Manifest: keys{"scripts": map[string]string{"install": "touch ran"}}}))...)
	for _, name := range first(1, "y", "good") {
		if r := h.must(t, "npx -y "+name); r.Package.ScriptsRan {
			t.Errorf("scripts of %s ran", name)
		}
	}
	h.options.Scripts = true
	if !testing.Short() {
		if r := h.must(t, "npx -y good"); r.Installed {
			t.Error("a package without scripts was installed again")
		}
	}
	r := h.must(t, "npx -y y")
	if _, err := os.Stat(filepath.Join(r.Package.Path, "node_modules", "y", "ran")); err != nil || !r.Installed {
		t.Error(err, r.Installed)
	}
}

// Scripts that fail, or that leave what no package needs, leave nothing.
func TestEvilScripts(t *testing.T) {
	long(t)
	t.Parallel()
	script := func(name, text string) pack {
		return runnable(pack{Name: name, Manifest: keys{"scripts": map[string]string{"postinstall": text}}})
	}
	h := newHome(t, script("fails", "exit 3"), script("fifo", "mkfifo pipe"), script("link", "ln -s /etc/passwd link"),
		script("bin", "rm cli.js; ln -s /bin/sh cli.js"), script("lock", "echo '{}' > ../../package-lock.json"),
		script("out", "touch ../../../../out $HOME/../out /etc/out"), script("goes", "curl http://elsewhere.example/ || node -e \"require('http').get('http://elsewhere.example/')\""))
	h.options.Scripts = true
	for _, c := range first(2, [][]string{{"fails", "the install script of fails ended with 3: exit 3"},
		{"bin", "program bin of bin leads to", "out of the package"}, {"out", "out"}, {"fifo", "pipe"}, {"link", "link"},
		{"goes", "elsewhere.example is none of your registries"}}...) {
		h.refused(t, "npx -y "+c[0], c[1:]...)
	}
	p := h.must(t, "npx -y lock").Package
	if b, err := os.ReadFile(p.Path + "/package-lock.json"); err != nil || !strings.Contains(string(b), p.Integrity) {
		t.Errorf("a script wrote the lock file: %s, %v", b, err)
	}
	for _, out := range []string{h.store.Path + "/out", filepath.Dir(h.path) + "/out", "/etc/out"} {
		if _, err := os.Lstat(out); err == nil {
			t.Errorf("%s is there", out)
		}
	}
}

// A program of the store writes neither to its own folder nor to its neighbours, and sees no other package.
func TestWritesWhenRun(t *testing.T) {
	t.Parallel()
	writes := `#!/usr/bin/env node
const fs = require('fs'), path = require('path')
const own = path.dirname(fs.realpathSync(process.argv[1]))
for (const at of [own, own + '/../..', own + '/../../..', own + '/../../../..', own + '/../../../../good'])
	try { fs.writeFileSync(at + '/new', 'x'); console.log('wrote', at) } catch (e) { console.log(e.code) }
try { fs.writeFileSync(process.argv[1], 'x'); console.log('wrote itself') } catch (e) { console.log(e.code) }
try { console.log(fs.readdirSync(process.argv[2])) } catch (e) { console.log(e.code) }
fs.writeFileSync('/tmp/new', 'x'); console.log('wrote /tmp/new')
`
	h := newHome(t, append(good(), pack{Name: "writer", Version: "1.0.0", Manifest: keys{"bin": "writer.js"},
		Files: []file{{Name: "writer.js", Text: writes, Mode: 0o755}}})...)
	neighbour := filepath.Join(h.store.Path, "npm", "good", "1.0.0-0123456789ab")
	if testing.Short() {
		put(t, filepath.Join(neighbour, ".of-the-test"), "x")
	} else {
		neighbour = h.must(t, "npx -y good").Package.Path
	}
	r := h.must(t, "npx -y writer "+neighbour)
	sb, err := launcher.Command(context.Background(), policy.Policy{}, launcher.Target{Path: r.Command[0], Args: r.Command[1:], Dir: "/",
		Package: &launcher.PackageID{Manager: "npm", Name: "writer", Path: r.Package.Path}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	var out bytes.Buffer
	sb.Cmd.Stdout, sb.Cmd.Stderr = &out, &out
	err = sb.Cmd.Run()
	said := out.String()
	if err != nil || !strings.HasPrefix(said, "EROFS\nEROFS\n") || !strings.HasSuffix(said, "ENOENT\nEROFS\nENOENT\nwrote /tmp/new\n") {
		t.Errorf("%v: %s", err, said)
	}
	filepath.WalkDir(h.store.Path, func(at string, d fs.DirEntry, err error) error { // some are of a private home
		if err == nil && d.Name() == "new" {
			t.Errorf("%s is there", at)
		}
		return nil
	})
	if err := r.Package.Check(); err != nil {
		t.Error(err)
	}
}

// A machine without namespaces installs all the same, and reaches its registry by name.
func TestLowerConfinement(t *testing.T) {
	if os.Getenv(lackingEnv) == "" {
		t.Parallel()
		rerun(t, testbed.Machine{Lacks: []testbed.Lack{testbed.NoUserNamespaces, testbed.NoMount}}.Put)
		return
	}
	h := newHome(t, good()...)
	h.must(t, "npx -y good")
}

// A machine that cannot hold a list of hosts gets both ways out, and the second works.
func TestNoHosts(t *testing.T) {
	if os.Getenv(lackingEnv) == "" {
		t.Parallel()
		rerun(t, testbed.Machine{Lacks: []testbed.Lack{testbed.NoUserNamespaces, testbed.NoMount, testbed.NoListener}}.Put)
		return
	}
	h := newHome(t, good()...)
	_, err := h.prepare(t, "npx -y good")
	if err == nil || !strings.Contains(err.Error(), "cannot hold that") || !strings.Contains(err.Error(), "; or type --level network, ") ||
		strings.Contains(err.Error(), "minConfinement") { // which an install has of its own
		t.Errorf("%v", err)
	}
	h.nothingLeft(t)
}

// Level network is told of on every machine.
func TestLevelNetwork(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	h.options.Level = policy.LevelNetwork
	r := h.must(t, "npx -y good")
	if len(r.Lines) != 2 || !strings.Contains(r.Lines[0], "host's network, in confinement") {
		t.Errorf("%q", r.Lines)
	}
}
