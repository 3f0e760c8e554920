package job

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// An install sees the folder of a manager that is a package itself, and never one to which a link in the stage leads: a
// manager's answer may have made that.
func TestInstallSeesTheManager(t *testing.T) {
	dir := t.TempDir()
	registrytest.Put(t, dir, map[string]string{"node_modules/x/program": ""})
	stage := filepath.Join(dir, "stage")
	for _, folder := range []string{stage, filepath.Join(dir, "bin")} {
		if err := errors.Join(os.Mkdir(folder, 0o755), os.Symlink("../node_modules/x/program", folder+"/program")); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string][]string{"bin": {filepath.Join(dir, "node_modules/x")}, "stage": nil} {
		j := &Job{Program: filepath.Join(dir, folder, "program"), Stage: stage, Settings: &Settings{}}
		p, err := (&Cell{Row: &npmRow}).policy(t.Context(), j, Step{Local: true})
		if err != nil || !slices.Equal(p.Filesystem.AllowRead, want) {
			t.Errorf("%s: %q, %v", folder, p.Filesystem.AllowRead, err)
		}
	}
}

// The folder of a manager that npm itself installed is all that is shown of its prefix.
func TestOwnFolder(t *testing.T) {
	local := filepath.Join(t.TempDir(), ".local")
	registrytest.Put(t, local, map[string]string{"lib/node_modules/@x/npm/bin/npm-cli.js": "", "bin/other": ""})
	if err := os.Symlink("../lib/node_modules/@x/npm/bin/npm-cli.js", filepath.Join(local, "bin/npm")); err != nil {
		t.Fatal(err)
	}
	if own := OwnFolder(filepath.Join(local, "bin/npm")); own != filepath.Join(local, "lib/node_modules/@x/npm") || OwnFolder("/usr/bin/env") != "" {
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
