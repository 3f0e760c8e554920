package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

type kind struct {
	name    string // of the subtest, too
	program string // of a [testbed.Runtime]; "" is for the pnpm that is a program of node
	line    string // in front of a package's name
}

// kin are the package managers beside npm that install packages of npm's registry.
var kin = []kind{
	{"pnpm", "pnpm", "pnpm dlx "},
	{"pnpm10", "", "pnpm dlx "},
	{"bun", "bun", "bunx "},
	{"deno", "deno", "deno run -A npm:"},
}

// eachKind are those of kin that this run tries: pnpm 10 takes ten times as long as the others.
func eachKind() (some []kind) {
	for _, k := range kin {
		if k.program != "" || !testing.Short() {
			some = append(some, k)
		}
	}
	return some
}

// long leaves a test to the suite's long form.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the suite without -short has this test")
	}
}

// use puts a manager of testdata/npm in front of PATH.
func (h *home) use(t *testing.T, program string) {
	t.Helper()
	folder := testbed.Folder(t)
	names := map[string]string{}
	switch program {
	case "":
		folder = filepath.Join(nodePrefix(t), "bin")
	case "bun":
		names = map[string]string{"bun": testbed.Runtime(t, "bun"), "bunx": testbed.Runtime(t, "bun")}
	default:
		names = map[string]string{program: testbed.Runtime(t, program)}
	}
	for name, file := range names {
		if err := os.Symlink(file, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range h.options.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			h.options.Env[i] = "PATH=" + folder + ":" + path
		}
	}
}

var prefix struct {
	sync.Mutex
	path string
}

// nodePrefix is what `npm install --global --prefix` makes of a pnpm that is a program of node.
func nodePrefix(t *testing.T) string {
	t.Helper()
	prefix.Lock()
	defer prefix.Unlock()
	if prefix.path != "" {
		return prefix.path
	}
	at := filepath.Join(testbed.Scratch(t), "prefix")
	for _, err := range []error{
		os.CopyFS(filepath.Join(at, "lib", "node_modules", "pnpm"), os.DirFS(filepath.Join(testbed.Modules(t), "pnpm"))),
		os.Mkdir(filepath.Join(at, "bin"), 0o755),
		os.Chmod(filepath.Join(at, "lib", "node_modules", "pnpm", "bin", "pnpm.cjs"), 0o755),
		os.Symlink("../lib/node_modules/pnpm/bin/pnpm.cjs", filepath.Join(at, "bin", "pnpm")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	prefix.path = at
	return at
}

// What is not in the store is installed, and found there without a registry from then on. The program gets the
// arguments that the manager itself gives, and lies at the same place below the install.
func TestKinInstalls(t *testing.T) {
	for _, k := range kin {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, good()...)
			h.use(t, k.program)
			line := k.line + "good a --b"
			r := h.must(t, line)
			p := r.Package
			if p.Name != "good" || p.Version != "1.0.0" || !strings.HasPrefix(p.Integrity, "sha512-") || p.Registry != h.registry.URL || p.Packages != 2 {
				t.Errorf("%+v", p)
			}
			if _, err := os.Lstat(p.Path + "/" + private); err == nil {
				t.Error("the cache is in the package")
			}
			asked := len(h.registry.Asked())
			again := h.must(t, line)
			if again.Installed || strings.Join(again.Command, " ") != strings.Join(r.Command, " ") || len(h.registry.Asked()) != asked {
				t.Errorf("the second time: %+v", again)
			}
			h.writesNowhere(t, k.line+"good") // first: outside of a sandbox a program of root's can write to the package
			ours := h.said(t, r.Env, again.Command)
			theirs := h.said(t, nil, strings.Fields(line))
			t.Log(ours, theirs)
			if !strings.HasPrefix(ours[0], p.Path+"/") || below(ours[0]) != below(theirs[0]) || !slices.Equal(ours[1:], theirs[1:]) {
				t.Errorf("%q; by the manager itself %q", ours, theirs)
			}
		})
	}
}

// A manager that npm installed below ~/.local finds its own files: ~/.local as a whole is not shown.
func TestManagerInLocal(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	local := filepath.Join(h.path, ".local")
	if err := os.CopyFS(local, os.DirFS(nodePrefix(t))); err != nil {
		t.Fatal(err)
	}
	h.options.Env = []string{"HOME=" + h.path, "PATH=" + filepath.Join(local, "bin") + ":" + os.Getenv("PATH")}
	h.must(t, "pnpm dlx good")
	own := ownFolder(filepath.Join(local, "bin", "pnpm"))
	if own != filepath.Join(local, "lib", "node_modules", "pnpm") || ownFolder("/usr/bin/env") != "" {
		t.Errorf("%q", own)
	}
}

// The words of a node that ended by an error.
func TestLastWords(t *testing.T) {
	const stack = "node:internal\n  throw err;\n\nError: Cannot find module 'x'\n    at y {\n  code: 'Z'\n}\n\nNode.js v20.20.2\n"
	for text, want := range map[string]string{stack: "Error: Cannot find module 'x'", "a\nb\n\n": "b", "Node.js v1": "Node.js v1"} {
		if got := lastWords(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// below is a path below the folder that the manager chose: from the first node_modules on, or from deno's npm.
func below(path string) string {
	return path[max(strings.Index(path, "/node_modules/"), strings.Index(path, "/npm/"), 0):]
}

// said is what the program of a package says that it got.
func (h *home) said(t *testing.T, env, command []string) (words []string) {
	t.Helper()
	search, _ := lookup(h.options.Env, "PATH")
	program := command[0]
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(program) && exists(folder, program) {
			program = filepath.Join(folder, program)
		}
	}
	cmd := exec.Command(program, command[1:]...)
	cmd.Env, cmd.Dir = append(slices.Clone(h.options.Env), env...), h.path
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		if json.Unmarshal([]byte(line), &words) == nil {
			return words
		}
	}
	t.Fatalf("%q: %s, %v", command, out, err)
	return nil
}

// Of a certificate that deno does not trust it is told what to set; an install goes by that.
func TestDenoAuthority(t *testing.T) {
	const words = "Download https://r.example/x\nerror: Failed loading https://r.example/x\n\nCaused by:\n    error sending request " +
		"for url (https://r.example/x): client error (Connect): invalid peer certificate: UnknownIssuer\n"
	if got := denoExplain(words, nil); !strings.Contains(got, "certificate of r.example: set DENO_TLS_CA_STORE=system, or DENO_CERT") {
		t.Error(got)
	}
	j := &job{cell: &cell{Options: Options{Env: []string{denoStores + "=system"}}}}
	if env := denoInstallVariables(j, ""); env[denoStores] != "system" || env["NO_COLOR"] != "1" {
		t.Errorf("%q", env)
	}
}
