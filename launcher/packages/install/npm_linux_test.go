package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// good is a package with a program and a dependency.
func good() []registrytest.Package {
	return []registrytest.Package{
		runnable(registrytest.Package{Name: "good", Manifest: map[string]any{"dependencies": map[string]string{"@deps/dep": "^1.0.0"}}}),
		{Name: "@deps/dep", Version: "1.0.0"},
	}
}

// What is not in the store is installed, and found there without a registry from then on.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("TestProgramTypedWithItsPath has this, with the path of npx")
	}
	t.Parallel()
	newHome(t, good()...).installsGood(t, "npx")
}

func (h *home) installsGood(t *testing.T, npx string) *Ready {
	t.Helper()
	r := h.must(t, npx+" -y good a --b")
	t.Log(r.Lines, r.Command)
	if !r.Installed || len(r.Lines) != 1 || !strings.Contains(r.Lines[0], "installed npm:good 1.0.0 (2 packages) in ") ||
		!strings.HasSuffix(r.Lines[0], ", no install script was run") {
		t.Errorf("%+v", r)
	}
	p := r.Package
	if p.Name != "good" || p.Version != "1.0.0" || !strings.HasPrefix(p.Integrity, "sha512-") || p.Registry != h.registry.URL || p.Packages != 2 {
		t.Errorf("%+v", p)
	}
	if left, _ := filepath.Glob(p.Path + "/" + private + "*"); len(left) > 0 {
		t.Error("npm's cache is in the package")
	}
	asked := len(h.registry.Asked())
	again := h.must(t, npx+" -y good a --b")
	if again.Installed || len(again.Lines) > 0 || strings.Join(again.Command, " ") != strings.Join(r.Command, " ") || len(h.registry.Asked()) != asked {
		t.Errorf("the second time: %+v", again)
	}
	out, err := exec.Command(r.Command[0], r.Command[1:]...).CombinedOutput()
	if want := `["` + p.Path + `/node_modules/.bin/good","a","--b"]`; strings.TrimSpace(string(out)) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
	return r
}
