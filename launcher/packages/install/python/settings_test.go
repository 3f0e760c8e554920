package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

func TestPipOptions(t *testing.T) {
	a := &answer{Config: map[string]string{"global.x": "g", "install.x": "i", ":env:.x": " ", "global.y": "g", ":env:.y": "e"}}
	if a.option("x") != "i" || a.option("y") != "e" || a.option("z") != "" {
		t.Errorf("%q, %q, %q", a.option("x"), a.option("y"), a.option("z"))
	}
}

// A package whose interpreter was removed from the machine says so.
func TestPythonIsGone(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"bin", "lib/python3.99/site-packages/tool-1.0.dist-info"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{"bin/tool": firstLines, "lib/python3.99/site-packages/tool-1.0.dist-info/RECORD": "../../../bin/tool,,\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start, err := startline.Parse([]string{"pipx", "run", "tool"})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, interpreter)
	if err := os.Symlink("/no/python3.99", at); err != nil {
		t.Fatal(err)
	}
	if _, err := entry(folder, start); err == nil || !strings.Contains(err.Error(), "is gone: /no/python3.99: `mcp-sandbox store update tool`") {
		t.Error(err)
	}
	os.Remove(at)
	if err := os.Symlink("/bin/sh", at); err != nil {
		t.Fatal(err)
	}
	if e, err := entry(folder, start); err != nil || len(e.Command) != 2 || e.Command[0] != at {
		t.Errorf("%+v, %v", e, err)
	}
}

// What pip shows of a configuration is the text that stands there.
func TestPythonText(t *testing.T) {
	for shown, want := range map[string]string{"'a'": "a", `'it"s'`: `it"s`, `"it's"`: "it's", `'a\'b"'`: `a'b"`, `'\nx\\y'`: "\nx\\y", "''": ""} {
		if got, err := pythonText(shown); got != want || err != nil {
			t.Errorf("%s: %q, %v", shown, got, err)
		}
	}
	for _, bad := range []string{"", "a", "'a", "a'", "['a']", "'a\nb'"} {
		if got, err := pythonText(bad); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// Names of the index alone get onto pip's command line.
func TestPipWords(t *testing.T) {
	for _, s := range []startline.Spec{{Name: "-r"}, {Name: "x", Range: " --index-url=y"}, {Name: "./x"}, {Name: "x", Range: "@ file:///"}, {Name: "x/y"}, {Name: ""}} {
		j := &job.Job{Start: &startline.Start{Specs: []startline.Spec{s}}, Settings: &job.Settings{Answer: &answer{}}}
		if _, err := install(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no name of a package") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
