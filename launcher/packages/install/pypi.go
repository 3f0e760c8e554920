package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// pypi is the row of pip, with which lines of pipx and of uvx are installed: both make an environment of a Python's and
// start a program of the package in it. uv itself is not run here.
var pypi = manager{
	name:          "pypi",
	programs:      []string{"pipx", "python3", "python"},
	usual:         "pypi.org files.pythonhosted.org",
	configuration: configuration{pipFiles, pipDecides, "pip config set global.index-url URL", "netrc"},
	settings:      pipSettings,
	install:       pipInstall,
	entry:         pipEntry,
	asks:          pattern(`^(?:Collecting|Getting page|Downloading(?: link)?) (\S+)`),
	answers:       pattern(`^(?:Collecting|Getting page|Downloading)()`), // it does one thing after the other
}

// A pipAnswer is what a Python says of itself, of its pip and of the user's configuration of that.
type pipAnswer struct {
	Python   string            // the path of the interpreter, not that of an environment
	Full     string            // its version
	Packages string            // where an environment has its packages, below the environment
	Pip      string            // the folder of the module, or a wheel
	Version  string            // pip's
	Index    string            // the URL that pip has built in
	Files    string            // the host of that index's archives
	Config   map[string]string // `pip config list`
	uv       string            // what says which packages uv takes; "" is nothing
}

// pipFiles are the files of pip's configuration, and of uv's, which [uvLimit] reads.
func pipFiles(q *question) []string {
	return slices.Concat([]string{filepath.Join(q.home, ".pip", "pip.conf"), filepath.Join(q.config, "pip", "pip.conf"),
		"/etc/xdg/pip/pip.conf", "/etc/pip.conf",
		filepath.Join(filepath.Dir(filepath.Dir(platform.Resolved(q.program))), "pip.conf")}, uvFiles(q.user))
}

// pipDecides is true for the variables of pip's options that say which packages are taken. Those of uv count for lines
// of uv alone.
func pipDecides(name string, s *startline.Start) bool {
	return slices.Contains([]string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX",
		"PIP_CONFIG_FILE", "PIP_CONSTRAINT", "PIP_REQUIRE_HASHES", "PIP_UPLOADED_PRIOR_TO"}, name) ||
		strings.HasPrefix(s.Tool, "uv") && slices.Contains(uvLimits, name)
}

// pipAsk prints a pipAnswer, by the interpreter that an environment was made from. A Python without pip has the wheel
// of the module ensurepip, as Debian's with python3-venv.
const pipAsk = `import ast, glob, json, os, platform, subprocess, sys, sysconfig
base = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
if sys.prefix != sys.base_prefix:
    os.execv(base, [base, "-I", "-c", sys.argv[1], sys.argv[1]])
a = {"Python": base, "Full": platform.python_version(), "Config": {}}
scheme = "venv" if "venv" in sysconfig.get_scheme_names() else "posix_prefix"
a["Packages"] = os.path.relpath(sysconfig.get_path("purelib", scheme, vars={"base": "/x", "platbase": "/x"}), "/x")
try:
    import pip
    a["Pip"] = os.path.dirname(os.path.abspath(pip.__file__))
except ImportError:
    import ensurepip
    places = [sysconfig.get_config_var("WHEEL_PKG_DIR"), os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")]
    a["Pip"] = [w for p in places if p for w in sorted(glob.glob(os.path.join(p, "pip-*.whl")))][0]
    sys.path.insert(0, a["Pip"])
    os.environ["PYTHONPATH"] = a["Pip"]
    import pip
from pip._internal.models.index import PyPI
a.update(Version=pip.__version__, Index=PyPI.simple_url, Files=PyPI.file_storage_domain)
code = "import sys; sys.path.insert(0, sys.argv.pop(1)); import runpy; runpy.run_module('pip', run_name='__main__')"
where = a["Pip"] if a["Pip"].endswith(".whl") else os.path.dirname(a["Pip"])
said = subprocess.run([sys.executable, "-I", "-c", code, where, "config", "list"], text=True, stdin=subprocess.DEVNULL,
                      stdout=subprocess.PIPE)
if said.returncode:
    sys.exit(said.returncode)
for line in said.stdout.splitlines():
    key, _, value = line.partition("=")
    a["Config"][key] = ast.literal_eval(value)
print(json.dumps(a))`

// pipSettings asks the Python that pipx would take, and its pip.
func pipSettings(ctx context.Context, q *question) (*settings, error) {
	python, err := pipPython(q)
	if err != nil {
		return nil, err
	}
	asked := *q
	asked.program = python
	env := map[string]string{"HOME": q.copied.home, "XDG_CONFIG_HOME": q.copied.config}
	out, err := asked.run(ctx, env, "-I", "-c", pipAsk, pipAsk)
	if err != nil {
		return nil, fmt.Errorf("%s with pip is needed: %w", python, err)
	}
	a := new(pipAnswer)
	if err := json.Unmarshal(out, a); err != nil {
		return nil, fmt.Errorf("pip of %s: %w", python, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", python, err)
	}
	a.uv = uvLimit(q.user)
	s := &settings{python: a}
	return s, pipRead(s, q)
}

// pipPackages is where an environment has its packages, and pipVersion a version.
var (
	pipPackages = pattern(`^lib/[a-z]+[0-9.]+t?/site-packages$`)
	pipVersion  = pattern(`^[0-9][0-9A-Za-z.+!-]*$`)
)

// check refuses an answer that is none of a Python's: paths and versions of it are written into the environment.
func (a *pipAnswer) check() error {
	isPath := func(text string) bool { return filepath.IsAbs(text) && !strings.ContainsAny(text, "\r\n\x00") }
	if !pipPackages().MatchString(a.Packages) || !isPath(a.Python) || !isPath(a.Pip) ||
		!pipVersion().MatchString(a.Full) || !pipVersion().MatchString(a.Version) {
		return fmt.Errorf("an answer that no Python gives: packages in %.100q, interpreter %.100q, pip %.100q",
			a.Packages, a.Python, a.Pip)
	}
	return nil
}

// pipPython is the interpreter that pipx takes: that of its own first line.
func pipPython(q *question) (string, error) {
	if filepath.Base(q.program) != "pipx" {
		return q.program, nil
	}
	f, err := os.OpenFile(q.program, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := make([]byte, 256)
	n, _ := f.Read(b)
	line, _, _ := strings.Cut(string(b[:n]), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if strings.HasPrefix(line, "#!") && len(words) == 1 && strings.HasPrefix(filepath.Base(words[0]), "py") {
		return words[0], nil
	}
	if found := q.find("python3", ""); found != "" {
		return found, nil
	}
	return "", fmt.Errorf("%s: its Python is not known, and there is no python3 in PATH", q.program)
}

// option is a setting of pip, by the order of its documentation: the variable, the command's section, the common one.
func (a *pipAnswer) option(name string) string {
	for _, section := range []string{":env:.", "install.", "global."} {
		if value := strings.TrimSpace(a.Config[section+name]); value != "" {
			return value
		}
	}
	return ""
}

// pipLimits are options by which a user keeps packages out. They are not carried over, and so nothing is installed.
var pipLimits = []string{"constraint", "require-hashes", "uploaded-prior-to"}

// pipRead makes settings of what pip says.
func pipRead(s *settings, q *question) error {
	a := s.python
	if extra := a.option("extra-index-url"); extra != "" {
		return errors.New("pip's configuration has extra-index-url " + redact(strings.Fields(extra)[0]) + ": pip " +
			"takes the higher version of a name from whichever index has it, so a stranger's package may take the " +
			"place of yours. Name one index that has all packages (pip config set global.index-url URL, and " +
			"pip config unset global.extra-index-url)")
	}
	if no := a.option("no-index"); no != "" && !strings.ContainsAny(no[:1], "0fFnN") {
		return errors.New("pip's configuration has no-index: no package can be fetched")
	}
	for _, name := range pipLimits {
		if value := a.option(name); value != "" && value != "false" {
			return fmt.Errorf("pip's configuration has %s %.100q, by which an install in the store does not go: "+
				"pip config unset global.%[1]s takes it out", name, value)
		}
	}
	index := a.option("index-url")
	if index == "" {
		index = a.Index
	}
	r, user, err := newRegistry("", index)
	if err != nil {
		return fmt.Errorf("pip config: index-url: %w", err)
	}
	s.registries = append(s.registries, r)
	if own, _, err := newRegistry("", a.Index); err == nil && own.url == r.url {
		files, _, err := newRegistry("@files", "https://"+a.Files)
		if err != nil {
			return err
		}
		s.registries = append(s.registries, files)
	}
	s.proxy = a.option("proxy")
	ca := a.option("cert")
	for _, name := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		if value, _ := lookup(q.env, name); ca == "" {
			ca = value
		}
	}
	if s.ca, err = certificates("", ca); err != nil {
		return fmt.Errorf("pip config: cert: %w", err)
	}
	if s.login = user != nil; s.login && q.auth {
		s.logins = []login{{key: r.url, value: user.String()}}
	}
	s.netrc(q)
	return nil
}
