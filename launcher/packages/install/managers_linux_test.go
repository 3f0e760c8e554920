package install

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// kin are the lines of other package managers than npm, in front of a package's name.
var kin = []struct{ program, line string }{
	{"pnpm", "pnpm dlx "}, {"bun", "bunx "}, {"bun", "bunx --bun "}, {"deno", "deno run -A npm:"},
}

// long leaves a test to the suite's long form.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the suite without -short has this test")
	}
}

// first are as many rows of a table, and all of them in the suite's long form. What decides on the others is tested
// without a manager as well.
func first[T any](n int, rows ...T) []T {
	if testing.Short() {
		return rows[:n]
	}
	return rows
}

// use puts a runtime of testdata/npm in front of PATH.
func (h *home) use(t *testing.T, program string) {
	t.Helper()
	folder := testbed.Folder(t)
	for _, name := range []string{program, program + "x"} { // bunx
		if err := os.Symlink(testbed.Runtime(t, program), filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.inFront(folder)
}

// inFront puts a folder in front of PATH.
func (h *home) inFront(folder string) {
	for i, v := range h.options.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			h.options.Env[i] = "PATH=" + folder + ":" + path
		}
	}
}

// A line of another manager is installed by npm, once for all of them, and its program is started by what the line and
// the program name: with the arguments of the line, and from the package, which it cannot write to.
func TestKin(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	for _, k := range kin {
		h.use(t, k.program)
	}
	first := h.must(t, "npx -y good").Package
	put(t, filepath.Join(h.path, "bunfig.toml"), `preload = ["./preload.js"]`) // of the working folder: no word of the user's
	put(t, filepath.Join(h.path, "preload.js"), `console.log('["preloaded"]')`)
	put(t, filepath.Join(h.path, ".env"), "OF_DOT_ENV=1\n")
	for _, k := range kin {
		r := h.must(t, k.line+"good a --b")
		if r.Installed || r.Package.Path != first.Path {
			t.Errorf("%s: %+v", k.line, r.Package)
		}
		h.writesNowhere(t, k.line+"good")
		said := h.said(t, r.Env, r.Command)
		if !strings.HasPrefix(said[0], first.Path+"/node_modules/") || !slices.Equal(said[1:], []string{"a", "--b"}) {
			t.Errorf("%s: %q", k.line, said)
		}
		if by := r.Command[0]; strings.Contains(k.line, "run") != (by == "deno") || strings.Contains(k.line, "--bun") != (by == "bun") {
			t.Errorf("%s: %q", k.line, r.Command)
		}
		os.RemoveAll(filepath.Join(h.store.Path, "npm", "neighbour")) // of writesNowhere
	}
}

// Without npm a line of another manager can run as it is, and one of npm cannot.
func TestWithoutNpm(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	bare := testbed.Folder(t)
	h.options.Env = []string{"PATH=" + bare}
	for line, as := range map[string]bool{"pnpm dlx good": true, "bunx good": true, "deno run npm:good": true, "npx -y good": false,
		"npm exec good": false} {
		start, err := startline.Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.prepare(t, line)
		if err == nil || errors.Is(err, ErrNoManager) != as || !strings.Contains(err.Error(), "not found in PATH") {
			t.Errorf("%s: %v", line, err)
		}
		if err := Installer(start, h.options); (err != nil) != as || as && !errors.Is(err, ErrNoManager) {
			t.Errorf("%s: %v", line, err)
		}
		h.options.Env[0] = "PATH=" + os.Getenv("PATH")
		if err := Installer(start, h.options); err != nil {
			t.Errorf("%s, with npm: %v", line, err)
		}
		h.options.Env[0] = "PATH=" + bare
	}
}

// said is what the program of a package says that it got.
func (h *home) said(t *testing.T, env, command []string) (words []string) {
	t.Helper()
	search := order.Lookup(h.options.Env, "PATH")
	program := command[0]
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(program) && isThere(folder, program) {
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

func isThere(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}
