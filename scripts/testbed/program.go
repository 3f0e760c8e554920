package testbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// ProgramsEnv names a folder of programs built beforehand, for a run that has no Go build cache to write to, as an
// unprivileged repetition of the suite:
//
//	CGO_ENABLED=0 go build -trimpath -o DIR/ ./testdata/probe ./testdata/server-go
const ProgramsEnv = "MCP_SANDBOX_TEST_PROGRAMS"

var (
	building sync.Mutex
	built    = map[string]string{} // name to path
)

// Program builds ./testdata/name once per test binary, static and without cgo, and returns its path. With ProgramsEnv
// set it builds nothing and the program must be there.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	if dir := os.Getenv(ProgramsEnv); dir != "" {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			tb.Fatalf("%s: %v", ProgramsEnv, err)
		}
		return path
	}
	building.Lock()
	defer building.Unlock()
	if path, ok := built[name]; ok {
		return path
	}
	path := filepath.Join(Scratch(tb), name)
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "./testdata/"+name)
	cmd.Dir = root(tb)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("go build ./testdata/%s: %v\n%s", name, err, out)
	}
	if err := os.Chmod(path, 0o755); err != nil { // whatever the umask is
		tb.Fatal(err)
	}
	built[name] = path
	return path
}
