package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

type texts = map[string]string

// zeroes is a hash that no archive has.
var zeroes = strings.Repeat("0", 64)

// runsAtInstall is a source archive whose own backend writes a file in the stage as soon as it is asked for anything.
var runsAtInstall = texts{
	"x-1.0/pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
	"x-1.0/PKG-INFO":       "Metadata-Version: 2.1\nName: x\nVersion: 1.0\n",
	"x-1.0/backend.py":     "import os\nopen(os.path.join(os.environ['TMPDIR'], '../../ran'), 'w').close()\n",
}

// evilWheels must not be installed, with words of the refusal. Each is asked for as a dependency, too.
var evilWheels = []struct {
	name  string
	evil  wheel
	words []string
}{
	{"changed on its way", wheel{Change: flipped}, []string{"the archive of evil", "has not the hash"}},
	{"cut off, without a hash", wheel{Change: cut, Hash: "none"}, []string{"Wheel 'evil", "is invalid"}},
	{"archive of another host", wheel{Place: "http://elsewhere.example/"}, []string{"elsewhere.example", "none of your registries"}},
	{"sources alone", wheel{Sdist: true, Files: runsAtInstall}, []string{"No matching distribution found for evil", "there is no wheel", "--scripts"}},
	{"by URL of the index", wheel{Requires: []string{"dep @ INDEXdep-1.0-py3-none-any.whl"}}, []string{"dependency dep", "only what the index serves"}},
	{"in place of the interpreter", wheel{Files: texts{"EVIL-1.0.data/scripts/python": "#!/bin/sh\n"}}, []string{"replaced the interpreter"}},
	{"cut off", wheel{Change: cut}, []string{"the archive of evil", "has not the hash"}},
	{"another hash", wheel{Hash: zeroes}, []string{"the archive of evil", "has not the hash"}},
	{"MD5 alone", wheel{Hash: "md5"}, []string{"the archive of evil", "no sha256"}},
	{"archive of another port", wheel{Place: "http://127.0.0.1:9/"}, []string{":9 is none of your registries"}},
	{"by URL", wheel{Requires: []string{"dep @ https://elsewhere.example/dep-1.0-py3-none-any.whl"}}, []string{"elsewhere.example"}},
	{"sources by URL", wheel{Requires: []string{"x @ INDEXx-1.0.zip"}}, []string{"x is no wheel of the index", "--scripts"}},
	{"by git", wheel{Requires: []string{"dep @ git+https://elsewhere.example/dep"}}, []string{"dep is no wheel of the index"}},
	{"by file", wheel{Requires: []string{"dep @ file:///etc"}}, []string{"dep"}},
	{"dependency that nobody has", wheel{Requires: []string{"nobody-has-that"}}, []string{"the requirement nobody-has-that (from evil"}},
	{"dependency that leads out", wheel{Requires: []string{"../x"}}, []string{"InvalidRequirement", "../x"}},
	{"for another Python", wheel{Python: ">=9"}, []string{"evil", "Requires-Python >=9"}},
	{"out of the environment", wheel{Files: texts{"../../../../out": "x"}}, []string{"outside"}},
	{"out of the data", wheel{Files: texts{"EVIL-1.0.data/data/../../out": "x"}}, []string{"Unexpected file"}},
	{"out of the programs", wheel{Files: texts{"EVIL-1.0.data/scripts/../../../../../out": "#!/bin/sh\n"}}, []string{"evil", "scheme key", "/scripts/../../"}},
	{"in place of the marker", wheel{Files: texts{"EVIL-1.0.data/data/pyvenv.cfg": "home = /root/.ssh\n"}}, []string{"replaced the interpreter"}},
}

func TestEvilWheels(t *testing.T) {
	t.Parallel()
	h, x := newPythonHome(t, goodWheels()...)
	x.Add(wheel{Name: "x", Version: "1.0", Sdist: true, Files: runsAtInstall}, wheel{Name: "dep", Version: "1.0"})
	files := strings.TrimSuffix(x.URL, "simple/") + "files/"
	t.Run("all", func(t *testing.T) {
		for i, e := range first(2, evilWheels...) {
			e.evil.Name, e.evil.Version = fmt.Sprintf("evil%d", i), "1.0"
			for j, r := range e.evil.Requires {
				e.evil.Requires[j] = strings.ReplaceAll(r, "INDEX", files)
			}
			own := texts{}
			for name, text := range e.evil.Files {
				own[strings.ReplaceAll(name, "EVIL", e.evil.Name)] = text
			}
			if e.evil.Files = own; !e.evil.Sdist {
				e.evil = script(e.evil)
			}
			needy := fmt.Sprintf("needy%d", i)
			x.Add(e.evil, script(wheel{Name: needy, Requires: []string{e.evil.Name}}))
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				h.refusedBoth(t, "pipx run ", e.evil.Name, needy, e.words...)
			})
		}
	})
	h.nothingLeft(t)
	if !testing.Short() { // installs behind refusals: TestSources and TestPipConfiguration
		h.must(t, "pipx run good-tool")
	}
}

// A wheel that brings a report in place of pip's does not choose its own version.
func TestForgedReport(t *testing.T) {
	t.Parallel()
	h, x := newPythonHome(t)
	report := fmt.Sprintf(`{"install": [{"metadata": {"name": "forged", "version": "9.0"}, "download_info": {"url": "%s9.0.whl",
		"archive_info": {"hashes": {"sha256": "%s"}}}}]}`, strings.TrimSuffix(x.URL, "simple/"), zeroes)
	x.Add(script(wheel{Name: "forged", Files: texts{"forged-1.0.data/data/.mcp-sandbox-install/report.json": report}}))
	if r := h.must(t, "pipx run forged"); r.Package.Version != "1.0" || r.Package.Integrity == "sha256:"+zeroes {
		t.Errorf("%+v", r.Package.Identity)
	}
}

// A wheel without a program of the name that is asked for.
func TestWheelPrograms(t *testing.T) {
	long(t)
	t.Parallel()
	two := texts{"one": "m:main", "two": "m:main"}
	h, _ := newPythonHome(t,
		wheel{Name: "none", Version: "1.0", Files: texts{"m.py": "x = 1\n"}},
		wheel{Name: "single", Version: "1.0", Files: texts{"m1.py": pythonProgram}, Scripts: texts{"other": "m1:main"}},
		wheel{Name: "several", Version: "1.0", Files: texts{"m2.py": pythonProgram}, Scripts: two},
		wheel{Name: "forged", Version: "1.0", Files: texts{"forged-1.0.dist-info/entry_points.txt": "[console_scripts]\n../../x = m:main\n"}},
		wheel{Name: "shell", Version: "1.0", Files: texts{"shell-1.0.data/scripts/shell": "#!/bin/sh\necho shell \"$@\"\n"}},
	)
	for _, c := range first(1, [][]string{{"pipx run several", "several programs", "one, two", "--spec several"},
		{"pipx run none", "none has no program"}, {"pipx run --spec several three", "no program", "three", "one, two"},
		{"uvx single", "no program of its name", "--from single"}}...) {
		h.refused(t, c[0], c[1:]...)
	}
	h.nothingLeft(t)
	for _, c := range first(1, [][2]string{{"pipx run forged a", "x"}, {"pipx run --spec several two a", "two"}, {"pipx run single a", "other"},
		{"uvx --from single other a", "other"}, {"pipx run shell a", "shell"}}...) {
		if r := h.must(t, c[0]); filepath.Base(r.Command[len(r.Command)-2]) != c[1] {
			t.Errorf("%s: %v", c[0], r.Command)
		}
	}
}

// A source archive runs its own program with --scripts alone.
func TestSources(t *testing.T) {
	t.Parallel()
	backend := `import os, zipfile
def build_wheel(to, config_settings=None, metadata_directory=None):
    name = "built-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(to, name), "w") as z:
        z.writestr("built.py", "def main(): print('built')\n")
        z.writestr("built-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: built\nVersion: 1.0\n")
        z.writestr("built-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        z.writestr("built-1.0.dist-info/entry_points.txt", "[console_scripts]\nbuilt = built:main\n")
        z.writestr("built-1.0.dist-info/RECORD", "")
    return name
`
	h, _ := newPythonHome(t, wheel{Name: "built", Version: "1.0", Sdist: true, Files: texts{
		"built-1.0/pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
		"built-1.0/PKG-INFO":       "Metadata-Version: 2.1\nName: built\nVersion: 1.0\n",
		"built-1.0/backend.py":     backend}})
	h.refused(t, "pipx run built", "found for built: there is no wheel", "--scripts")
	h.options.Scripts = true
	if r := h.must(t, "pipx run built"); !r.Package.ScriptsRan || !strings.Contains(r.Lines[0], "scripts were allowed") {
		t.Errorf("%+v", r)
	}
}

// With --min-age a pip that can do so takes what is old enough, and any other installs nothing.
func TestYoungWheels(t *testing.T) {
	t.Parallel()
	h, x := newPythonHome(t, goodWheels()...)
	x.Add(script(wheel{Name: "young", Version: "1.0"}), script(wheel{Name: "young", Version: "2.0", Uploaded: time.Now().Add(-time.Hour)}))
	h.options.MinAge = 24 * time.Hour
	if r, err := h.prepare(t, "pipx run young"); err != nil && !strings.Contains(err.Error(), "--min-age takes a pip with --uploaded-prior-to, as pip 26 is") || err == nil && r.Package.Version != "1.0" {
		t.Errorf("%+v, %v", r, err)
	}
	h.nothingLeft(t)
}

// pip's configuration decides where packages come from.
func TestPipConfiguration(t *testing.T) {
	t.Parallel()
	h, x := newPythonHome(t, goodWheels()...)
	x.Add(script(wheel{Name: "closed"}))
	file := filepath.Join(h.path, ".config", "uv", "uv.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[[index]]\nurl = \"https://elsewhere.example/simple\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	index := "index-url = " + x.URL + "\n"
	for _, c := range first(1, [][]string{
		{index + "extra-index-url = https://u:s3cret@elsewhere.example/simple", "extra-index-url https://elsewhere.example/simple", "unset global.extra-index-url"},
		{index + "require-hashes = true", "require-hashes", "pip config unset global."},
		{index + "constraint = /x", "constraint", "pip config unset global."},
		{index + "uploaded-prior-to = P7D", "uploaded-prior-to", "pip config unset global."},
		{index + "no-index = true", "no-index"},
		{"index-url = http://elsewhere.example/simple/", "elsewhere.example is not a trusted", "plain http", "trusted-host"},
		{index + "index-url = twice", "already exists"},
		{"index-url = ftp://u:s3cret@elsewhere.example/", "index-url: \"ftp://elsewhere.example/\" is no http"},
	}...) {
		h.pip(t, "[global]\n"+c[0]+"\n")
		h.refused(t, "pipx run good-tool", c[1:]...)
	}
	h.pip(t, "[global]\n"+index)
	for _, v := range first(1, "UV_INDEX=https://elsewhere.example/simple", "UV_EXCLUDE_NEWER=7 days") {
		env := h.options.Env
		h.options.Env = append(env[:len(env):len(env)], v)
		h.refused(t, "uvx good-tool", strings.Split(v, "=")[0], "no variable decides where packages come from")
		h.options.Env = env
	}
	h.refused(t, "uvx good-tool", file)
	h.nothingLeft(t)
	h.limitsUv(t, x.URL, file)

	// A log-in is used where that was asked for alone, and does not stay.
	x.Behave(registrytest.Behaviour{Token: "u:s3cret"})
	if err := os.WriteFile(filepath.Join(h.path, ".netrc"), []byte("machine 127.0.0.1 login u password s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.refused(t, "pipx run closed", "/simple/closed/ (401)", "without a log-in", "--registry-auth")
	h.options.RegistryAuth = true
	r := h.must(t, "pipx run closed")
	noSecret(t, r.Package.Path, "s3cret")

	// Programs of packages find none of it.
	x.Add(wheel{Name: "reads", Version: "1.0", Sdist: true, Files: texts{
		"reads-1.0/pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n",
		"reads-1.0/PKG-INFO":       "Metadata-Version: 2.1\nName: reads\nVersion: 1.0\n", "reads-1.0/backend.py": pythonReads}})
	h.options.Scripts = true
	if !testing.Short() { // job TestSentences has the sentence
		h.refused(t, "pipx run reads", "with --scripts there is none")
	}
	x.Behave(registrytest.Behaviour{})
	h.refused(t, "pipx run reads", "the program of a source archive failed: found nothing")
}

// limitsUv demands that a line of uvx is refused although one of pipx has installed the package.
func (h *home) limitsUv(t *testing.T, index, file string) {
	t.Helper()
	h.must(t, "pipx run good-tool")
	h.refused(t, "uvx good-tool", file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"pipx run good-tool", "uvx good-tool"} {
		h.must(t, line)
	}
	env := h.options.Env
	h.options.Env = append(env[:len(env):len(env)], "UV_INDEX="+index)
	if r := h.must(t, "uvx good-tool"); r.Installed {
		t.Error("pip's own index is none of the store's")
	}
	h.options.Env = append(env[:len(env):len(env)], "UV_INDEX=https://elsewhere.example/simple")
	h.refused(t, "uvx good-tool", "UV_INDEX", "no variable decides where packages come from")
	h.options.Env = env
}

// pythonReads is a backend that looks for the log-in in all that it can read.
const pythonReads = `import os
found = [v for v in os.environ.values() if "s3cret" in v or "netrc" in v]
for top in [os.environ["TMPDIR"] + "/../..", os.environ["HOME"]]:
    for folder, _, names in os.walk(top):
        found += [n for n in names if n == "netrc" or n == "pip.conf" and "s3cret" in open(os.path.join(folder, n)).read()]
raise SystemExit("found " + (" ".join(found) or "nothing"))
`
