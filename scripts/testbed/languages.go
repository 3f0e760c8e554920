package testbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

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

// Java is the path of the Java runtime, and a folder of testdata/server-java's classes, compiled once. It skips as Python does.
func Java(tb testing.TB) (java, classes string) {
	tb.Helper()
	java, err := exec.LookPath("java")
	javac, bad := exec.LookPath("javac")
	if err != nil || bad != nil {
		Missing(tb, "java", "no Java on this machine, or no compiler: its server is not tried")
	}
	building.Lock()
	defer building.Unlock()
	classes = filepath.Join(Scratch(tb), "classes")
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

// Source is a folder of testdata, readable by every uid.
func Source(tb testing.TB, name string) string {
	tb.Helper()
	return readable(tb, filepath.Join(root(tb), "testdata", name))
}
