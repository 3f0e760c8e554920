package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

type wheel = registrytest.Wheel

// pythonProgram says where it runs and what it got. See [home.writesNowhere].
const pythonProgram = `import json, sys
def main():
    if sys.argv[1:2] != ["write"]:
        print(json.dumps(sys.argv + [sys.prefix]))
    for at in sys.argv[2:] if sys.argv[1:2] == ["write"] else []:
        try:
            open(at, "w").close()
            print("wrote", at)
        except OSError:
            print("refused", at)
`

// script makes a wheel with a program of its name.
func script(w wheel) wheel {
	if w.Version == "" {
		w.Version = "1.0"
	}
	module := strings.ReplaceAll(w.Name, "-", "_")
	if w.Files == nil {
		w.Files = map[string]string{}
	}
	w.Files[module+"/__init__.py"] = pythonProgram
	if w.Scripts == nil {
		w.Scripts = map[string]string{w.Name: module + ":main"}
	}
	return w
}

const python3 = "/usr/bin/python3"

var hasPip = sync.OnceValue(func() error { return exec.Command(python3, "-m", "pip", "--version").Run() })

// newPythonHome is newHome with an index in pip's configuration.
func newPythonHome(t *testing.T, wheels ...wheel) (*home, *registrytest.Index) {
	t.Helper()
	if err := hasPip(); err != nil {
		testbed.Missing(t, "pip", python3+" -m pip: "+err.Error())
	}
	h := newHome(t)
	x := registrytest.NewIndex(t, wheels...)
	h.options.Env = []string{"HOME=" + h.path, "PATH=/usr/bin:/bin"}
	h.pip(t, "[global]\nindex-url = "+x.URL+"\n")
	return h, x
}

// pip writes the user's configuration of pip.
func (h *home) pip(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(h.path, ".config", "pip", "pip.conf")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func goodWheels() []wheel {
	return []wheel{
		script(wheel{Name: "good-tool", Version: "1.0", Requires: []string{"dep>=1"}}),
		{Name: "dep", Version: "1.2", Files: map[string]string{"dep.py": "x = 1\n"}},
	}
}

// A wheel and its dependency are installed, and found without the index from then on.
func TestPypi(t *testing.T) {
	t.Parallel()
	h, x := newPythonHome(t, goodWheels()...)
	r := h.must(t, "pipx run good-tool a --b")
	t.Log(r.Lines, r.Command, r.Env)
	p := r.Package
	if !r.Installed || p.Name != "good-tool" || p.Version != "1.0" || !strings.HasPrefix(p.Integrity, "sha256:") ||
		p.Registry != x.URL || p.Packages != 2 || r.Owner != "good-tool" {
		t.Errorf("%+v, %+v", r, p)
	}
	lock, err := os.ReadFile(p.Path + "/" + p.Lock)
	if err != nil || !strings.Contains(string(lock), `name = "dep"`) || !strings.Contains(string(lock), "sha256") {
		t.Errorf("%s, %v", lock, err)
	}
	asked := len(x.Asked())
	for _, line := range []string{"pipx run good-tool a --b", "pipx run --spec good-tool good-tool a --b", "uvx good_tool a --b"} {
		again := h.must(t, line)
		if again.Installed || len(x.Asked()) != asked || strings.Join(again.Command, " ") != strings.Join(r.Command, " ") {
			t.Errorf("%s: %+v", line, again)
		}
	}
	want := `["` + p.Path + `/bin/good-tool", "a", "--b", "` + p.Path + `"]`
	out, err := exec.Command(r.Command[0], r.Command[1:]...).CombinedOutput()
	if strings.TrimSpace(string(out)) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
	out, err = exec.Command(p.Path+"/bin/good-tool", "a", "--b").CombinedOutput() // as another program finds it in PATH
	if strings.TrimSpace(string(out)) != want {
		t.Errorf("%s, %v; want %s", out, err, want)
	}
	if compiled, _ := filepath.Glob(p.Path + "/lib/*/site-packages/*/__pycache__/*.pyc"); len(compiled) == 0 {
		t.Error("no module is compiled")
	}
	h.writesNowhere(t, "pipx run good-tool")
}

// Of an index that cannot be reached pip says that it has no such package.
func TestPypiUnreachable(t *testing.T) {
	long(t)
	t.Parallel()
	h, _ := newPythonHome(t, goodWheels()...)
	h.pip(t, "[global]\nindex-url = https://no-such-name.example/simple\n")
	h.refused(t, "pipx run good-tool", "install pypi:good-tool: no-such-name.example cannot be reached (")
}

// A Python without pip is asked, and installs, by the wheel of ensurepip.
func TestPipOfAWheel(t *testing.T) {
	t.Parallel()
	wheels, _ := filepath.Glob("/usr/share/python-wheels/pip-*.whl")
	if len(wheels) == 0 {
		testbed.Missing(t, "pip", "there is no wheel of pip")
	}
	h, x := newPythonHome(t)
	shim := filepath.Join(h.path, "shims", "python3")
	put(t, shim, `#!/bin/sh
case "$*" in
*"-m pip"*) exit 1;;
*-c*) echo '{"Python": "'"$0"'", "Full": "3.11.2", "Packages": "lib/python3.11/site-packages", "Wheels": ["", "/usr/share/python-wheels"]}';;
*) exec `+python3+` "$@";;
esac
`)
	h.inFront(filepath.Dir(shim))
	theirs := filepath.Join(h.path, "node_modules", "x", "python") // of which the answer would have the folder shown
	put(t, theirs, "#!/bin/sh\n")
	put(t, filepath.Join(h.path, "liar", "python3"), "#!/bin/sh\necho '{\"Python\": \""+theirs+"\"}'\n")
	liar := *h
	liar.options.Env = slices.Clone(h.options.Env)
	liar.inFront(filepath.Join(h.path, "liar"))
	liar.refused(t, "pipx run x", "an answer that no Python gives", theirs)
	s := h.asks(t, "pipx run x")
	if s.Registries[0].URL != x.URL {
		t.Fatalf("%+v", s)
	}
	command, err := s.Answer.(interface{ Command() ([]string, error) }).Command()
	if want := []string{"-I", filepath.Join(wheels[0], "pip")}; err != nil || !slices.Equal(command, want) {
		t.Errorf("%q, %v, want %q", command, err, want) // by these words the question had pip's version and configuration
	}
	if testing.Short() {
		return
	}
	if out, bad := exec.Command(python3, append(command, "--version")...).Output(); bad != nil || !strings.Contains(string(out), wheels[0]) {
		t.Errorf("%q: %s, %v", command, out, bad)
	}
}
