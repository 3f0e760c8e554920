package install

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// pipUsual are the hosts of the index that pip has built in, and of its archives.
const pipUsual = "pypi.org files.pythonhosted.org"

// pypi is the row of pip, with which lines of pipx and of uvx are installed: both make an environment of a Python's and
// start a program of the package in it. uv itself is not run here.
var pypi = manager{
	name:          "pypi",
	programs:      []string{"pipx", "python3", "python"},
	usual:         pipUsual,
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
	Wheels   []string          // folders that may have a wheel of pip
	Pip      string            // the folder of the module, or a wheel
	Version  string            // pip's
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

// pipAsk prints what no option of a Python does alone: the interpreter that an environment was made from, and folders.
const pipAsk = `import json, os, platform, sys, sysconfig as s
print(json.dumps({"Python": os.path.realpath(sys._base_executable), "Full": platform.python_version(),
    "Packages": s.get_path("purelib", "posix_prefix", {"base": ""})[1:],
    "Wheels": [s.get_config_var("WHEEL_PKG_DIR") or "", s.get_path("stdlib") + "/ensurepip/_bundled"]}))`

// pipSays is a line of `pip --version`.
var pipSays = pattern(`(?m)^pip (\S+) from (.+) \(python [^()]*\)$`)

// pipSettings asks the Python that pipx would take, and its pip.
func pipSettings(ctx context.Context, q *question) (*settings, error) {
	python, err := pipPython(q)
	if err != nil {
		return nil, err
	}
	a, err := pipAnswered(ctx, *q, python)
	if err != nil {
		return nil, fmt.Errorf("%s with pip is needed: %w", python, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", python, err)
	}
	a.uv = uvLimit(q.user)
	s := &settings{python: a}
	return s, pipRead(s, q)
}

// pipAnswered asks a Python. One without pip has the wheel of the module ensurepip, as Debian's with python3-venv.
func pipAnswered(ctx context.Context, q question, python string) (*pipAnswer, error) {
	env := map[string]string{"HOME": q.copied.home, "XDG_CONFIG_HOME": q.copied.config}
	q.program = python
	out, err := q.run(ctx, env, "-I", "-c", pipAsk)
	a := new(pipAnswer)
	if err == nil {
		err = json.Unmarshal(out, a)
	}
	if err == nil && (!filepath.IsAbs(a.Python) || ownFolder(a.Python) != "") { // of which more would be shown
		err = fmt.Errorf("an answer that no Python gives: interpreter %.100q", a.Python)
	}
	if err != nil {
		return nil, err
	}
	q.program = a.Python
	pip := []string{"-I", "-m", "pip"}
	out, err = q.run(ctx, env, append(pip, "--version")...)
	for _, folder := range a.Wheels {
		wheels, _ := fs.Glob(os.DirFS(filepath.Clean("/"+folder)), "pip-*.whl")
		if err != nil && len(wheels) > 0 {
			wheels[0] = filepath.Join(folder, wheels[0])
			a.Pip, pip = wheels[0], []string{"-I", filepath.Join(wheels[0], "pip")}
			out, err = q.run(ctx, env, append(pip, "--version")...)
		}
	}
	found := pipSays().FindStringSubmatch(string(out))
	if err != nil || found == nil {
		return nil, cmp.Or(err, errors.New("pip --version names no version"))
	}
	a.Version, a.Pip = found[1], cmp.Or(a.Pip, found[2])
	if out, err = q.run(ctx, env, append(pip, "config", "list")...); err != nil {
		return nil, err
	}
	a.Config = map[string]string{}
	for line := range strings.Lines(string(out)) {
		if key, text, is := strings.Cut(strings.TrimSpace(line), "="); is && err == nil {
			a.Config[key], err = pythonText(text)
		}
	}
	return a, err
}

// pythonText is the text that Python's repr shows.
func pythonText(shown string) (string, error) {
	if n := len(shown) - 1; n > 0 && shown[0] == '\'' && shown[n] == '\'' {
		inner := strings.ReplaceAll(shown[1:n], `"`, `\"`)
		shown = `"` + strings.ReplaceAll(inner, `\'`, `'`) + `"`
	}
	text, err := strconv.Unquote(shown)
	if err != nil {
		err = fmt.Errorf("pip config list: %.100q: %w", redactAll(shown), err)
	}
	return text, err
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
	b, _ := readConfiguration(q.program) // of what cannot be read no Python is known
	line, _, _ := strings.Cut(string(b), "\n")
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
	usual := strings.Fields(pipUsual)
	index := "https://" + usual[0] + "/simple/"
	r, user, err := newRegistry("", cmp.Or(a.option("index-url"), index))
	if err != nil {
		return fmt.Errorf("pip config: index-url: %w", err)
	}
	s.registries = append(s.registries, r)
	if r.url == index {
		s.registries = append(s.registries, registry{"@files", "https://" + usual[1] + "/"})
	}
	s.proxy = a.option("proxy")
	ca := a.option("cert")
	for _, name := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		if value := order.Lookup(q.env, name); ca == "" {
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
