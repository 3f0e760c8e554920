package launcher_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Places inside node_modules.
const (
	entryEverything = "@modelcontextprotocol/server-everything/dist/index.js"
	entryFilesystem = "@modelcontextprotocol/server-filesystem/dist/index.js"
)

var compiling sync.Mutex

// javaRuntime is the path of the Java runtime, and a folder of testdata/server-java's classes, compiled once. It skips as Python does.
func javaRuntime(tb testing.TB) (java, classes string) {
	tb.Helper()
	java, err := exec.LookPath("java")
	javac, bad := exec.LookPath("javac")
	if err != nil || bad != nil {
		testbed.Missing(tb, "java", "no Java on this machine, or no compiler: its server is not tried")
	}
	compiling.Lock()
	defer compiling.Unlock()
	classes = filepath.Join(testbed.Scratch(tb), "classes")
	if _, err := os.Stat(classes); err == nil {
		return java, classes
	}
	sources, err := filepath.Glob(filepath.Join(root(tb), "testdata", "server-java", "*.java"))
	if err != nil || len(sources) == 0 {
		tb.Fatalf("testdata/server-java: %v, %v", sources, err)
	}
	if out, err := exec.Command(javac, append([]string{"-encoding", "UTF-8", "-d", classes}, sources...)...).CombinedOutput(); err != nil {
		tb.Fatalf("javac: %v\n%s", err, out)
	}
	chmod := func(path string, d os.DirEntry, err error) error { // whatever the umask is
		if err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o755)
	}
	if err := filepath.WalkDir(classes, chmod); err != nil {
		tb.Fatal(err)
	}
	return java, classes
}

// source is a folder of testdata, readable by every uid.
func source(tb testing.TB, name string) string {
	tb.Helper()
	return testbed.Readable(tb, filepath.Join(root(tb), "testdata", name))
}

// root is the folder of go.mod.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := testbed.Root()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}
