package install

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A home is a user's without anything, whose npm has a registry of the test's.
type home struct {
	path     string
	store    *store.Store
	registry *registrytest.Registry
	options  Options
}

// program is the text of a package's program, which says where it lies and what it got. See [home.writesNowhere].
const program = `#!/usr/bin/env node
const fs = require('fs'), places = process.argv[2] === 'write' ? process.argv.slice(3) : []
for (const at of places)
	try { fs.writeFileSync(at, 'x'); console.log('wrote', at) } catch { console.log('refused', at) }
const more = process.env.OF_DOT_ENV ? ['.env'] : []
if (places.length === 0) console.log(JSON.stringify([process.argv[1], ...process.argv.slice(2), ...more]))
`

// runnable makes a package with a program of its name.
func runnable(p registrytest.Package) registrytest.Package {
	if p.Manifest = maps.Clone(p.Manifest); p.Manifest == nil {
		p.Manifest = keys{}
	}
	if p.Manifest["bin"] == nil {
		p.Manifest["bin"] = map[string]string{filepath.Base(p.Name): "cli.js"}
	}
	if p.Version == "" {
		p.Version = "1.0.0"
	}
	p.Files = append(p.Files, registrytest.File{Name: "cli.js", Text: program, Mode: 0o755})
	return p
}

// ours is the store of this process, whose place the shims of launches take from the environment.
var ours struct {
	sync.Once
	path string
}

// storeOf is a folder for a home in the store of this process.
func storeOf(t *testing.T, home string) string {
	t.Helper()
	ours.Do(func() {
		user := filepath.Join(testbed.Scratch(t), "user")
		if err := os.Mkdir(user, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"HOME": user, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "",
			"XDG_CONFIG_HOME": ""} {
			if err := os.Setenv(name, value); err != nil {
				t.Fatal(err)
			}
		}
		s, err := store.Open(os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		ours.path = s.Path
		s.Close()
	})
	return filepath.Join(ours.path, filepath.Base(home))
}

// newHome makes a home, whose store lies in that of this process: homes of tests are used at the same time.
func newHome(t *testing.T, packages ...registrytest.Package) *home {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		testbed.Missing(t, "npm", "there is no npm")
	}
	path := testbed.Folder(t)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	places := map[string]string{"HOME": path, "XDG_DATA_HOME": storeOf(t, path)}
	h := &home{path: path, registry: registrytest.New(t, packages...)}
	h.configure(t, "registry="+h.registry.URL+"\n")
	var err error
	if h.store, err = store.Open(func(name string) string { return places[name] }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.store.Close()
		for _, folder := range []string{path, places["XDG_DATA_HOME"]} {
			filepath.WalkDir(folder, func(at string, d fs.DirEntry, _ error) error { // of read-only folders
				if d != nil && d.IsDir() {
					os.Chmod(at, 0o755)
				}
				return nil
			})
		}
	})
	h.options = Options{tests: tests{user: path}, Env: []string{"HOME=" + path, "PATH=" + os.Getenv("PATH"), "SECRET=s3cret"}, Dir: path}
	return h
}

// configure writes the user's npmrc.
func (h *home) configure(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.path, ".npmrc"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// prepare makes a line ready.
func (h *home) prepare(t *testing.T, line string) (*Ready, error) {
	t.Helper()
	start, err := startline.Parse(strings.Fields(line))
	if err != nil || start == nil {
		t.Fatalf("%s: %v, %v", line, start, err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 3*testbed.Patience(), errors.New("the test's patience is at its end"))
	defer cancel()
	return Prepare(ctx, h.store, start, h.options)
}

// must is prepare where that has to work.
func (h *home) must(t *testing.T, line string) *Ready {
	t.Helper()
	r, err := h.prepare(t, line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return r
}

// refusedBoth is refused of a package and of one that needs it: without the long forms of the suite of the latter alone.
func (h *home) refusedBoth(t *testing.T, line, evil, needy string, words ...string) {
	t.Helper()
	if !testing.Short() {
		h.refused(t, line+evil, words...)
	}
	h.refused(t, line+needy, words...)
}

// refused is prepare where the error has to have these words, and nothing may be left.
func (h *home) refused(t *testing.T, line string, words ...string) {
	t.Helper()
	began := time.Now()
	r, err := h.prepare(t, line)
	if err == nil {
		t.Errorf("%s: installed %s", line, r.Package.Path)
		return
	}
	t.Logf("%s: %.1f s: %v", line, time.Since(began).Seconds(), err)
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %q has no %q", line, err, word)
		}
	}
	if at := strings.Fields(line); len(at) == 3 {
		left, _ := os.ReadDir(filepath.Join(h.store.Path, "npm", at[2]))
		for _, l := range left {
			t.Errorf("%s: %s is left", line, l.Name())
		}
	}
}

// asks puts the question of a line, and installs nothing.
func (h *home) asks(t *testing.T, line string) *job.Settings {
	t.Helper()
	start, err := startline.Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	i := newInstallation(h.store, start, h.options)
	w, q, err := i.wanted()
	if err != nil {
		t.Fatal(err)
	}
	stage, err := h.store.Begin(t.Context(), w, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Abort()
	s, err := i.from.settings(t.Context(), q, stage.Folder)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return s
}

// nothingLeft demands a store without a package and without a stage.
func (h *home) nothingLeft(t *testing.T) {
	t.Helper()
	packages, _, err := h.store.List()
	if err != nil || len(packages) > 0 {
		t.Errorf("in the store: %v, %v", packages, err)
	}
	if left, _ := os.ReadDir(filepath.Join(h.store.Path, ".stages")); len(left) > 0 {
		t.Errorf("stages are left: %v", left)
	}
}

// lackingEnv is set in a test that runs again on a machine that lacks something.
const lackingEnv = "MCP_SANDBOX_TEST_LACKING"

// rerun runs a test again on another machine, which put makes.
func rerun(t *testing.T, put func(testing.TB, *exec.Cmd)) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), lackingEnv+"=1", "XDG_DATA_HOME=")
	put(t, cmd)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v: %s", err, out)
	}
}
