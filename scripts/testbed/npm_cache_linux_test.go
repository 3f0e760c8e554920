package testbed

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeNPM stands for both tools and leaves modes as a umask of 077 would.
const fakeNPM = `#!/bin/sh
umask 077
mkdir -p node_modules/.bin node_modules/a
echo text >node_modules/a/index.js
echo run >node_modules/a/tool; chmod 700 node_modules/a/tool
ln -s ../a/tool node_modules/.bin/tool
echo log >"$npm_config_cache/log"
[ -z "${FAKE_NPM_OTHER:-}" ] || mkdir -p "$FAKE_NPM_OTHER"
exit ${FAKE_NPM_EXIT:-0}
`

// checkout makes a root with a lock and the script, and gives the place of its cache.
func checkout(t *testing.T) (top, dir string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(root(t), "scripts", "npm-cache"))
	if err != nil {
		t.Fatal(err)
	}
	top = t.TempDir()
	for path, text := range map[string]string{"scripts/npm-cache": string(script), "testdata/npm/package.json": "{}",
		"testdata/npm/package-lock.json": "{}", "testdata/npm/.npmrc": ""} {
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if dir, err = CacheDir(top, "testdata/npm"); err != nil {
		t.Fatal(err)
	}
	return top, dir
}

// tools makes a PATH with what the script calls, and the given fakes.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range strings.Fields("sh dirname sha256sum expr mkdir chmod mktemp rm cp ls mv ln") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(fakeNPM), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// install runs the script of a checkout and returns its status.
func install(t *testing.T, top, path string, env ...string) int {
	t.Helper()
	cmd := exec.Command("/bin/sh", filepath.Join(top, "scripts", "npm-cache"))
	cmd.Env = append([]string{"PATH=" + path, "HOME=/no/such/home"}, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	t.Logf("%s", out)
	return cmd.ProcessState.ExitCode()
}

func TestCacheStatus(t *testing.T) {
	with, without := tools(t, "node", "npm"), tools(t)
	for _, c := range []struct {
		name, path string
		env        []string
		want       int
		installed  bool
	}{
		{"installs", with, nil, 0, true},
		{"installs in CI", with, []string{"CI=true"}, 0, true},
		{"npm fails", with, []string{"FAKE_NPM_EXIT=9"}, 1, false},
		{"no node", without, nil, 3, false},
		{"no npm", tools(t, "node"), nil, 3, false},
		{"no node in CI", without, []string{"CI=true"}, 1, false},
		{"CI=false is none", without, []string{"CI=false"}, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			top, dir := checkout(t)
			if got := install(t, top, c.path, c.env...); got != c.want {
				t.Errorf("status %d, want %d", got, c.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "node_modules", "a", "index.js")); (err == nil) != c.installed {
				t.Errorf("installed: %v, want %v", err == nil, c.installed)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "stage-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if c.installed && install(t, top, without, "CI=true") != 0 {
				t.Error("a second run needs Node.js")
			}
		})
	}
}

// npm leaves out an optional package that it could not fetch, and says nothing: such a folder is not kept.
func TestCacheWithoutRuntimes(t *testing.T) {
	bin := tools(t, "node", "npm")
	for name, says := range map[string]string{"getconf": "glibc", "uname": "Linux x86_64"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho "+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	top, dir := checkout(t)
	if got := install(t, top, bin); got != 1 {
		t.Errorf("status %d", got)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there")
	}
}

func TestEveryUIDCanRead(t *testing.T) {
	top, dir := checkout(t)
	if got := install(t, top, tools(t, "node", "npm")); got != 0 {
		t.Fatalf("status %d", got)
	}
	seen := 0
	err := filepath.WalkDir(filepath.Join(top, ".cache"), func(path string, entry fs.DirEntry, err error) error {
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

// A run that finds the folder of another one at its end leaves that one as it is.
func TestCacheOfAnotherRun(t *testing.T) {
	top, dir := checkout(t)
	if got := install(t, top, tools(t, "node", "npm"), "FAKE_NPM_OTHER="+dir+"/theirs"); got != 0 {
		t.Errorf("status %d", got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "*")); len(left) != 1 || filepath.Base(left[0]) != "theirs" {
		t.Errorf("the cache has %v, want the folder that was there first", left)
	}
}
