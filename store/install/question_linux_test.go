package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
)

// put writes a file that anybody can execute.
func put(t *testing.T, at, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// No program of the project in the working folder is run outside of the sandbox, however the line or PATH names it, and
// no variable makes a package manager run what is no part of it.
func TestQuestionsOutsideOfProjects(t *testing.T) {
	h := newHome(t, good()...)
	project := filepath.Join(h.path, "project")
	mark := filepath.Join(h.path, "mark")
	for _, folder := range []string{"node_modules/.bin", "tools", "nested/node_modules/.bin"} {
		for _, name := range []string{"npm", "node", "npx"} {
			put(t, filepath.Join(project, folder, name), "#!/bin/sh\necho \"$0 $*\" >> "+mark+"\nexec /usr/bin/env -i "+
				"HOME=$HOME PATH="+os.Getenv("PATH")+" "+name+" \"$@\"\n")
		}
	}
	h.options.Dir = project
	env := h.options.Env
	try := func(line, path string, more ...string) {
		t.Helper()
		h.options.Env = append(more, env...)
		if path != "" {
			h.options.Env = append(h.options.Env, "PATH="+path+":"+os.Getenv("PATH"))
		}
		h.options.Update = true
		h.must(t, line+" -y good")
		if b, err := os.ReadFile(mark); err == nil {
			t.Errorf("%s, %s, %q: %s", line, path, more, b)
			os.Remove(mark)
		}
	}
	try("./node_modules/.bin/npx", "")
	try(project+"/tools/npx", "")
	try("npx", "node_modules/.bin:tools:.")
	try("npx", project+"/tools")
	try("npx", project+"/tools", "HOME="+project+"/home", "npm_config_userconfig="+h.path+"/.npmrc")
	h.options.Dir = filepath.Join(project, "tools")
	try("npx", project+"/nested/node_modules/.bin")
	put(t, filepath.Join(project, ".cursor", "mcp.json"), "{}")
	h.options.Dir = "/"
	try("npx", project+"/tools")
	try("npx", "", "NODE_OPTIONS=--import=data:text/javascript,import{writeFileSync}from'node:fs';writeFileSync('"+mark+"','x')")
}

// What another user has put into /tmp is no project of a question's, and the project of the working folder, where that
// is asked for its registry, runs nothing.
func TestQuestionsRunNoHooks(t *testing.T) {
	for _, k := range eachKind() { // one by one, for all have the process's TMPDIR
		t.Run(k.name, func(t *testing.T) {
			h := newHome(t, good()...)
			h.use(t, k.program)
			questionRunsNoHook(t, h, k.line)
		})
	}
}

// questionRunsNoHook installs with hooks in the folder of temporary files and in the project.
func questionRunsNoHook(t *testing.T, h *home, line string) {
	theirs := registrytest.New(t, append(good(), runnable(pack{Name: "pnpm", Version: "9.1.2"}))...)
	mark := filepath.Join(h.path, "mark")
	script := "require('fs').writeFileSync('" + mark + "', '')\nmodule.exports = {hooks: {}}\n"
	fill := func(folder string) {
		put(t, folder+"/package.json", `{"packageManager": "pnpm@9.1.2", "workspaces": ["*"]}`)
		put(t, folder+"/pnpm-workspace.yaml", "packages: ['*']\nregistry: "+theirs.URL+"\n")
		put(t, folder+"/.npmrc", "registry="+theirs.URL+"\n")
		put(t, folder+"/.pnpmfile.cjs", script)
		put(t, folder+"/hook.js", script)
		put(t, folder+"/bunfig.toml", "preload = ['./hook.js']\n[install]\nregistry = '"+theirs.URL+"'\n")
	}
	temporary, project := filepath.Join(h.path, "tmp"), filepath.Join(h.path, "project")
	fill(temporary)
	fill(project)
	t.Setenv("TMPDIR", temporary)
	h.options.Env = append(h.options.Env, "TMPDIR="+temporary)
	if r := h.must(t, line+"good"); r.Package.Registry != h.registry.URL || len(theirs.Asked()) > 0 {
		t.Errorf("%s, %v", r.Package.Registry, theirs.Asked())
	}
	h.options.Dir, h.options.RegistryFromProject, h.options.Update = project, true, true
	if r := h.must(t, line+"good"); r.Package.Registry != theirs.URL {
		t.Errorf("the project's registry was not asked: %s", r.Package.Registry)
	}
	for _, asked := range theirs.Asked() {
		if strings.HasPrefix(asked.Path, "/pnpm") {
			t.Errorf("a pnpm was fetched: %s", asked.Path)
		}
	}
	if exists(h.path, "mark") {
		t.Error("a hook was run outside of the sandbox")
	}
}

// A variable of a project's does not lead a manager, nor what stands for one in PATH, to a program of the project:
// corepack runs the pnpm that lies in COREPACK_HOME or below the home.
func TestQuestionsLeadToNoProject(t *testing.T) {
	h := newHome(t, good()...)
	project, shims := filepath.Join(h.path, "project"), filepath.Join(h.path, "shims")
	mark := filepath.Join(h.path, "mark")
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"tools", "home/.cache/tools"} {
		put(t, filepath.Join(project, kept, "npm"), "#!/bin/sh\necho \"$0\" >> "+mark+"\nexec "+npm+" \"$@\"\n")
	}
	put(t, filepath.Join(shims, "npm"), "#!/bin/sh\nfor d in $MANAGER_HOME $LIST_DIRS $XDG_CACHE_HOME/tools $HOME/.cache/tools; do\n"+
		"test -x $d/npm && exec $d/npm \"$@\"\ndone\nexec "+npm+" \"$@\"\n")
	h.options.Dir = project
	env := append(h.options.Env, "PATH="+shims+":"+os.Getenv("PATH"), "npm_config_userconfig="+filepath.Join(h.path, ".npmrc"))
	for _, variable := range []string{"MANAGER_HOME=" + project + "/tools", "XDG_CACHE_HOME=" + project,
		"MANAGER_HOME=" + h.path + "/shims/../project/tools", "LIST_DIRS=/nowhere:" + project + "/tools", "HOME=" + project + "/home"} {
		h.options.Env, h.options.Update = append(slices.Clone(env), variable), true
		h.must(t, "npx -y good")
		if b, err := os.ReadFile(mark); err == nil {
			t.Errorf("%s: %s", variable, b)
			os.Remove(mark)
		}
	}
}
