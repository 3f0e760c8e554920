package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// fakeNPM stands for both tools and leaves modes as a umask of 077 would.
const fakeNPM = `#!/bin/sh
umask 077
mkdir -p node_modules/.bin node_modules/a
echo text >node_modules/a/index.js
echo run >node_modules/a/tool; chmod 700 node_modules/a/tool
ln -s ../a/tool node_modules/.bin/tool
echo log >"$npm_config_cache/log"
exit ${FAKE_NPM_EXIT:-0}
`

// checkout makes a root with a lock, makes it the working directory, and gives the place of its cache.
func checkout(t *testing.T) (root, dir string) {
	t.Helper()
	root = t.TempDir()
	npm := filepath.Join(root, "testdata", "npm")
	if err := os.MkdirAll(npm, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(root, "go.mod"), filepath.Join(npm, "package.json"),
		filepath.Join(npm, "package-lock.json"), filepath.Join(npm, ".npmrc"),
	} {
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	dir, err := testbed.CacheDir(root)
	if err != nil {
		t.Fatal(err)
	}
	return root, dir
}

// tools makes a PATH with the given fakes and what their shell script calls.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(fakeNPM), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin + ":/usr/bin:/bin"
}

func TestStatus(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		name, path, ci, npmExit string
		want                    int
		installed               bool
	}{
		{"installs", tools(t, "node", "npm"), "", "0", 0, true},
		{"installs in CI", tools(t, "node", "npm"), "true", "0", 0, true},
		{"npm fails", tools(t, "node", "npm"), "", "9", 1, false},
		{"no node", empty, "", "0", noNode, false},
		{"no node in CI", empty, "true", "0", 1, false},
		{"CI=false is none", empty, "false", "0", noNode, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, dir := checkout(t)
			t.Setenv("PATH", c.path)
			t.Setenv("CI", c.ci)
			t.Setenv("FAKE_NPM_EXIT", c.npmExit)
			t.Setenv("HOME", filepath.Join(empty, "nobody"))
			if got := run(); got != c.want {
				t.Errorf("status %d, want %d", got, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "node_modules", "a", "index.js")); (err == nil) != c.installed {
				t.Errorf("installed: %v, want %v", err == nil, c.installed)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "stage-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSecondRunNeedsNothing(t *testing.T) {
	checkout(t)
	t.Setenv("PATH", tools(t, "node", "npm"))
	if got := run(); got != 0 {
		t.Fatalf("first run: status %d", got)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CI", "true")
	if got := run(); got != 0 {
		t.Errorf("second run, no tools on PATH: status %d, want 0", got)
	}
}

func TestEveryUIDCanRead(t *testing.T) {
	root, dir := checkout(t)
	t.Setenv("PATH", tools(t, "node", "npm"))
	if got := run(); got != 0 {
		t.Fatalf("status %d", got)
	}
	seen := 0
	err := filepath.WalkDir(filepath.Join(root, ".cache"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen++
		want := fs.FileMode(0o004)
		if entry.IsDir() || filepath.Base(path) == "tool" {
			want = 0o005
		}
		if info.Mode()&want != want {
			t.Errorf("%s: mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || seen < 8 {
		t.Errorf("looked at %d files: %v", seen, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "npm-private")); err == nil {
		t.Error("npm's own cache is still there")
	}
}

func TestSettleSecond(t *testing.T) {
	base := t.TempDir()
	stage, dir := filepath.Join(base, "stage-1"), filepath.Join(base, "done")
	for _, path := range []string{filepath.Join(stage, "mine"), filepath.Join(dir, "theirs")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := settle(stage, dir); err != nil {
		t.Errorf("somebody else was first: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "theirs")); err != nil {
		t.Errorf("what was there first: %v", err)
	}
	if err := settle(filepath.Join(base, "none"), filepath.Join(base, "other")); err == nil {
		t.Error("a stage that does not exist: no error")
	}
}
