package testbed

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Places inside node_modules.
const (
	Everything = "@modelcontextprotocol/server-everything/dist/index.js"
	Filesystem = "@modelcontextprotocol/server-filesystem/dist/index.js"
)

// CacheDir is where scripts/npm-cache installs what testdata/npm pins: a folder named by the lock, so a changed lock is
// another folder and one that exists is complete.
func CacheDir(root string) (string, error) {
	lock, err := os.ReadFile(filepath.Join(root, "testdata", "npm", "package-lock.json"))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	return filepath.Join(root, ".cache", "npm", hex.EncodeToString(sum[:8])), nil
}

// InCI tells whether this is a run where everything must be there.
func InCI() bool {
	ci := os.Getenv("CI")
	return ci != "" && ci != "false" && ci != "0"
}

// RequireEnv names what a run must not do without, words such as "node qemu gcc" between spaces or commas: what is named
// and missing is a failure, not a skip. In CI node is named always.
const RequireEnv = "MCP_SANDBOX_REQUIRE"

// Missing skips the test for want of word, or fails it where this run must have it.
func Missing(tb testing.TB, word, why string) {
	tb.Helper()
	if InCI() && word == "node" {
		tb.Fatal("CI needs Node.js: ", why)
	}
	named := strings.FieldsFunc(os.Getenv(RequireEnv), func(r rune) bool { return r == ' ' || r == ',' })
	if slices.Contains(named, word) {
		tb.Fatalf("%s, and %s names %s", why, RequireEnv, word)
	}
	tb.Skip(why)
}

// Node is the path of Node.js. Without one the test is skipped and says so; in CI that is a failure.
func Node(tb testing.TB) string {
	tb.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		Missing(tb, "node", "no Node.js on this machine: the npm servers and the TypeScript client are not tried")
	}
	return path
}

// Modules is the node_modules folder of testdata/npm, as Node tells or skips. With Node on the machine and nothing
// installed the test fails: a hole in the suite must be seen.
func Modules(tb testing.TB) string {
	tb.Helper()
	Node(tb)
	dir, err := CacheDir(root(tb))
	if err != nil {
		tb.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		tb.Fatalf("npm servers are not installed (%v): make npm-cache", err)
	}
	return readable(tb, modules)
}

var copying sync.Mutex

// readable gives dir itself where every uid can get to it, and a copy in the scratch folder where one above it is closed,
// as in a clone below root's home.
func readable(tb testing.TB, dir string) string {
	tb.Helper()
	for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err != nil {
			tb.Fatal(err)
		}
		if info.Mode()&0o001 == 0 {
			return copied(tb, dir)
		}
	}
	return dir
}

func copied(tb testing.TB, dir string) string {
	tb.Helper()
	copying.Lock()
	defer copying.Unlock()
	to := filepath.Join(Scratch(tb), strings.TrimPrefix(filepath.Base(dir), "."))
	if _, err := os.Stat(to); err == nil {
		return to
	}
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		tb.Fatal(err)
	}
	return to
}
