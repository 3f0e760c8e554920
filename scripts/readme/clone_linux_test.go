package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Without Go the first command of a clone names the version to install, and says nothing of compiling.
func TestRunWithoutGo(t *testing.T) {
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(module), "\ngo ")
	version, _, _ := strings.Cut(rest, "\n")
	bin := t.TempDir()
	for _, name := range []string{"sh", "make", "dirname", "sed"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(bin, "make"), "run")
	cmd.Dir, cmd.Env = root, []string{"PATH=" + bin}
	out, err := cmd.CombinedOutput()
	if text := string(out); err == nil || !strings.Contains(text, "install Go "+version+" or later") || strings.Contains(text, "compiling") {
		t.Errorf("%v: %s", err, text)
	}
}
