package launcher_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Places inside node_modules.
const (
	entryEverything = "@modelcontextprotocol/server-everything/dist/index.js"
	entryFilesystem = "@modelcontextprotocol/server-filesystem/dist/index.js"
)

// modules is the node_modules folder of testdata/npm, as Node tells or skips. With Node on the machine and nothing
// installed the test fails: a hole in the suite must be seen.
func modules(tb testing.TB) string {
	tb.Helper()
	testbed.Node(tb)
	dir, err := testbed.CacheDir(root(tb))
	if err != nil {
		tb.Fatal(err)
	}
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		tb.Fatalf("npm servers are not installed (%v): make npm-cache", err)
	}
	return readable(tb, modules)
}

var compiling, copying sync.Mutex

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
	to := filepath.Join(testbed.Scratch(tb), strings.TrimPrefix(filepath.Base(dir), "."))
	if _, err := os.Stat(to); err == nil {
		return to
	}
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		tb.Fatal(err)
	}
	return to
}

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
	return readable(tb, filepath.Join(root(tb), "testdata", name))
}

func TestReadable(t *testing.T) {
	closed := t.TempDir()
	open := filepath.Join(closed, "open")
	if err := os.MkdirAll(filepath.Join(open, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(open, "d", "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	got := readable(t, open)
	if got == open {
		t.Error("a folder below a closed one was handed out as it is")
	}
	if text, err := os.ReadFile(filepath.Join(got, "d", "f")); string(text) != "x" {
		t.Errorf("the copy: %q, %v", text, err)
	}
	if scratch := testbed.Scratch(t); readable(t, scratch) != scratch {
		t.Error("an open folder was copied")
	}
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
