package noshim

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

//go:embed testdata/cgohost.txt
var cgoHost []byte

// A host that links C, one of whose threads forks and waits, launches without a shim, and neither takes a child of the
// other's.
func TestHostOfC(t *testing.T) {
	ordinary(t)
	if testing.Short() {
		t.Skip("-short: the standard library is built anew with cgo")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		testbed.Missing(t, "gcc", "no gcc: a cgo build needs one")
	}
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := testbed.Folder(t)
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "host")
	overlay := filepath.Join(dir, "overlay.json")
	const folder = "init/internal/test/noshim/testdata" // has main.go as far as the go command sees
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, folder, "main.go"): source}})
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{source: cgoHost, overlay: text} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-overlay", overlay, "-buildvcs=false", "-o", program, "./"+folder)
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code, out, errs := testbed.Finish(t, exec.Command(program)); code != 0 || out != "done\n" {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}
