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

// CacheDir is where scripts/npm-cache installs what a folder of the checkout pins: a folder named by the lock, so a
// changed lock is another folder and one that exists is complete.
func CacheDir(root, folder string) (string, error) {
	lock, err := os.ReadFile(filepath.Join(root, folder, "package-lock.json"))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	return filepath.Join(root, ".cache", "npm", hex.EncodeToString(sum[:8])), nil
}

// RequireEnv names the requirements of a run, words such as "node qemu gcc" between spaces or commas: a missing
// requirement is a failure, not a skip. In CI node is always required.
const RequireEnv = "MCP_SANDBOX_REQUIRE"

// Missing skips the test for want of word, or fails it where this run must have it.
func Missing(tb testing.TB, word, why string) {
	tb.Helper()
	named := strings.FieldsFunc(os.Getenv(RequireEnv), func(r rune) bool { return r == ' ' || r == ',' })
	if !slices.Contains([]string{"", "0", "false"}, os.Getenv("CI")) {
		named = append(named, "node")
	}
	if slices.Contains(named, word) {
		tb.Fatalf("%s, and %s or CI names %s", why, RequireEnv, word)
	}
	tb.Skip(why)
}

// Python is the path of Python 3, the system's first: an earlier one in PATH may be a script of a version manager.
// Without one the test is skipped and says so, or fails where [RequireEnv] names python.
func Python(tb testing.TB) string {
	tb.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		return "/usr/bin/python3"
	}
	return lookPath(tb, "python3", "python", "no Python 3 on this machine: its server is not tried")
}

// Node is the path of Node.js. Without one the test is skipped and says so; in CI that is a failure.
func Node(tb testing.TB) string {
	tb.Helper()
	return lookPath(tb, "node", "node",
		"no Node.js on this machine: the npm servers and the TypeScript client are not tried")
}

func lookPath(tb testing.TB, program, word, why string) string {
	tb.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(tb, word, why)
	}
	return path
}
