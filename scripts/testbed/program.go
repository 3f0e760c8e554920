package testbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// ProgramsEnv names a folder of programs built beforehand: for make test, in which each package would build them
// anew, and for a machine that has no Go build cache to write to:
//
//	CGO_ENABLED=0 go build -trimpath -o DIR/ ./testdata/probe ./testdata/server-go ./cmd/...
//
// and the programs of [Conformance].
const ProgramsEnv = "MCP_SANDBOX_TEST_PROGRAMS"

var (
	building sync.Mutex
	built    = map[string]string{} // name to path

	// environ is this process's environment before a test sets a HOME of its own, where a build would find no cache and
	// compile Go's own library for minutes.
	environ = os.Environ()
)

// Program builds ./testdata/name once per test binary, static and without cgo, and returns its path. With ProgramsEnv
// set it builds nothing and the program must be there.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	return program(tb, "./testdata/"+name)
}

// Command is one of the project's own programs, ./cmd/name, built as Program builds.
func Command(tb testing.TB, name string) string {
	tb.Helper()
	return program(tb, "./cmd/"+name)
}

// Conformance is everything-server or everything-client: programs of the Go SDK for the official conformance
// suite.
func Conformance(tb testing.TB, name string) string {
	tb.Helper()
	return program(tb, "github.com/modelcontextprotocol/go-sdk/conformance/"+name)
}

func program(tb testing.TB, source string) string {
	tb.Helper()
	name := filepath.Base(source)
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
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, source)
	cmd.Dir = root(tb)
	cmd.Env = append(environ, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("go build %s: %v\n%s", source, err, out)
	}
	if err := os.Chmod(path, 0o755); err != nil { // whatever the umask is
		tb.Fatal(err)
	}
	built[name] = path
	return path
}

// Self is a copy of the running test binary with a file name, one for all tests, for every user to execute.
func Self(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(Scratch(tb), name)
	building.Lock()
	defer building.Unlock()
	if built[path] == "" {
		if err := CopySelf(path); err != nil {
			tb.Fatal(err)
		}
		built[path] = path
	}
	return path
}

// CopySelf copies the running program to path, for every user to execute.
func CopySelf(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, program, 0o755)
	}
	if err != nil {
		return err
	}
	return os.Chmod(path, 0o755) // whatever the umask is
}
