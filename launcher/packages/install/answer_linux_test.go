package install

import (
	"os"
	"path/filepath"
	"testing"
)

// What answers in Python's place has nothing made outside of the stage.
func TestPythonAnswersAreChecked(t *testing.T) {
	t.Parallel()
	good := pipAnswer{Python: "/usr/bin/python3.11", Full: "3.11.2", Packages: "lib/python3.11/site-packages",
		Pip: "/usr/lib/python3/dist-packages/pip", Version: "23.0.1"}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*pipAnswer){
		"leads out": func(a *pipAnswer) { a.Packages = "../../x/site-packages" }, "absolute": func(a *pipAnswer) { a.Packages = "/x" },
		"no packages": func(a *pipAnswer) { a.Packages = "" }, "relative Python": func(a *pipAnswer) { a.Python = "x" },
		"two lines": func(a *pipAnswer) { a.Python = "/x\nhome = /y" }, "a version of two lines": func(a *pipAnswer) { a.Full = "3\nx = 1" },
		"no pip": func(a *pipAnswer) { a.Pip = "" },
	} {
		bad := good
		if change(&bad); bad.check() == nil {
			t.Errorf("%s: %+v is taken", name, bad)
		}
	}
	stage, outside := t.TempDir(), t.TempDir()
	j := &job{stage: filepath.Join(stage, "a"), owner: -1}
	if err := os.Mkdir(j.stage, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(j.stage, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../made", "link/made", "x/../../made"} {
		if err := j.folder(name); err == nil || exists(stage, "made") || exists(outside, "made") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := j.folder("lib/python3.11/site-packages"); err != nil || !exists(j.stage, "lib/python3.11/site-packages") {
		t.Error(err)
	}
}
