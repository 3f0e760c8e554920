package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// No program of the project in the working folder installs, however the line or PATH names it.
func TestNoProgramOfProjects(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	project := filepath.Join(h.path, "project")
	for _, folder := range []string{"node_modules/.bin", "tools", "nested/node_modules/.bin"} {
		for _, name := range []string{"npm", "npx"} {
			put(t, filepath.Join(project, folder, name), "#!/bin/sh\nexit 1\n")
		}
	}
	put(t, filepath.Join(project, ".mcp.json"), "{}")
	own, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	env := slices.Clip(h.options.Env)
	for _, c := range []struct{ line, dir, path string }{
		{"./node_modules/.bin/npx", project, ""}, {project + "/tools/npx", project, ""}, {"npx", project, "node_modules/.bin:tools:."},
		{"npx", project, project + "/tools"}, {"npx", project + "/tools", project + "/nested/node_modules/.bin"}, {"npx", "/", project + "/tools"},
	} {
		h.options.Dir, h.options.Env = c.dir, append(env, "PATH="+c.path+":"+os.Getenv("PATH"))
		start, err := startline.Parse([]string{c.line, "-y", "good"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := newInstallation(h.store, start, h.options).from.program(); err != nil || got != own {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

// Of a project whose registry is asked the registries are read, and nothing of the project runs or is followed.
func TestProjectIsOnlyRead(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	registry := registrytest.New(t, append(good(), runnable(pack{Name: "pnpm", Version: "9.1.2"}))...)
	theirs := registry.URL
	project, mark := filepath.Join(h.path, "project"), filepath.Join(h.path, "mark")
	script := "require('fs').writeFileSync('" + mark + "', '')\nmodule.exports = {hooks: {}}\n"
	for name, text := range map[string]string{
		"package.json": `{"packageManager": "pnpm@9.1.2", "workspaces": ["*"]}`, "pnpm-workspace.yaml": "packages: ['*']\nignorePnpmfile: false\n",
		".pnpmfile.cjs": script, "hook.js": script, "bunfig.toml": "preload = ['./hook.js']\n",
		".npmrc": "registry=" + strings.Replace(theirs, "//", "//u:s3cret@", 1) + "\nnode-options=--require=" + project + "/hook.js\ncafile=/none\n" +
			"proxy=http://127.0.0.1:9\n" + strings.TrimPrefix(theirs, "http:") + ":_authToken=${SECRET}\n",
	} {
		put(t, filepath.Join(project, name), text)
	}
	h.options.Dir, h.options.RegistryFromProject, h.options.RegistryAuth = project, true, true
	for _, line := range first(1, "pnpm dlx good", "npx -y good", "bunx good", "deno run npm:good") {
		h.options.Update = true
		if r := h.must(t, line); r.Package.Registry != theirs {
			t.Errorf("%s: %s", line, r.Package.Registry)
		}
	}
	for _, asked := range registry.Asked() {
		if asked.Authorization != "" {
			t.Errorf("%s had the log-in %s", asked.Path, asked.Authorization)
		}
	}
	if isThere(h.path, "mark") {
		t.Error("a hook was run outside of the sandbox")
	}
	h.options.Update, h.options.RegistryFromProject = false, false
	if r := h.must(t, "npx -y good"); r.Package.Registry != h.registry.URL {
		t.Errorf("without the flag: %s", r.Package.Registry)
	}
}
