package testbed

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

// RequireEnv names what a run must not do without, words such as "node qemu gcc" between spaces or commas: what is
// named and missing is a failure, not a skip. In CI node is named always.
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

// Python is the path of Python 3, the system's first: what stands in front of it in PATH may be a script of a version
// manager. Without one the test is skipped and says so, or fails where [RequireEnv] names python.
func Python(tb testing.TB) string {
	tb.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	path, err := exec.LookPath("python3")
	if err != nil {
		Missing(tb, "python", "no Python 3 on this machine: its server is not tried")
	}
	return path
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
