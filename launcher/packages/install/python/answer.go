package python

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
)

// An answer is a Python's description of itself, of its pip and of the user's configuration of pip.
type answer struct {
	Python   string            // the path of the interpreter, not that of an environment
	Full     string            // its version
	Packages string            // where an environment has its packages, below the environment
	Wheels   []string          // folders that may have a wheel of pip
	Pip      string            // the folder of the module, or a wheel
	Version  string            // pip's
	Config   map[string]string // `pip config list`
	uv       string            // the file that limits uv's packages, or ""
}

// askScript prints the facts that no option of a Python prints: the interpreter behind an environment, and folders.
const askScript = `import json, os, platform, sys, sysconfig as s
print(json.dumps({"Python": os.path.realpath(sys._base_executable), "Full": platform.python_version(),
    "Packages": s.get_path("purelib", "posix_prefix", {"base": ""})[1:],
    "Wheels": [s.get_config_var("WHEEL_PKG_DIR") or "", s.get_path("stdlib") + "/ensurepip/_bundled"]}))`

// versionLine is a line of `pip --version`.
var versionLine = job.Pattern(`(?m)^pip (\S+) from (.+) \(python [^()]*\)$`)

// answerOf asks a Python. One without pip has the wheel of the module ensurepip, as Debian's with python3-venv.
func answerOf(ctx context.Context, q job.Question, python string) (*answer, error) {
	env := map[string]string{"HOME": q.Copied.Home, "XDG_CONFIG_HOME": q.Copied.Config}
	q.Program = python
	out, err := q.Run(ctx, env, "-I", "-c", askScript)
	a := new(answer)
	if err == nil {
		err = json.Unmarshal(out, a)
	}
	if err == nil && (!filepath.IsAbs(a.Python) || job.OwnFolder(a.Python) != "") { // of which more would be shown
		err = fmt.Errorf("an answer that no Python gives: interpreter %.100q", a.Python)
	}
	if err == nil && len(a.Wheels) > 2 {
		err = fmt.Errorf("an answer that no Python gives: %d folders of wheels", len(a.Wheels))
	}
	if err != nil {
		return nil, err
	}
	q.Program = a.Python
	pip := []string{"-I", "-m", "pip"}
	out, err = q.Run(ctx, env, append(pip, "--version")...)
	for _, folder := range a.Wheels {
		wheels, _ := fs.Glob(os.DirFS(filepath.Clean("/"+folder)), "pip-*.whl")
		if err != nil && len(wheels) > 0 {
			wheels[0] = filepath.Join(folder, wheels[0])
			a.Pip, pip = wheels[0], []string{"-I", filepath.Join(wheels[0], "pip")}
			out, err = q.Run(ctx, env, append(pip, "--version")...)
		}
	}
	found := versionLine().FindStringSubmatch(string(out))
	if err != nil || found == nil {
		return nil, cmp.Or(err, errors.New("pip --version names no version"))
	}
	a.Version, a.Pip = found[1], cmp.Or(a.Pip, found[2])
	if out, err = q.Run(ctx, env, append(pip, "config", "list")...); err != nil {
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
		err = fmt.Errorf("pip config list: %.100q: %w", job.RedactAll(shown), err)
	}
	return text, err
}

// validPackages is where an environment has its packages, and validVersion a version.
var (
	validPackages = job.Pattern(`^lib/[a-z]+[0-9.]+t?/site-packages$`)
	validVersion  = job.Pattern(`^[0-9][0-9A-Za-z.+!-]*$`)
)

// check refuses an answer that is none of a Python's: paths and versions of it are written into the environment.
func (a *answer) check() error {
	isPath := func(text string) bool { return filepath.IsAbs(text) && !strings.ContainsAny(text, "\r\n\x00") }
	if !validPackages().MatchString(a.Packages) || !isPath(a.Python) || !isPath(a.Pip) ||
		!validVersion().MatchString(a.Full) || !validVersion().MatchString(a.Version) {
		return fmt.Errorf("an answer that no Python gives: packages in %.100q, interpreter %.100q, pip %.100q",
			a.Packages, a.Python, a.Pip)
	}
	return nil
}

// option is a setting of pip, by the order of its documentation: the variable, the command's section, the common one.
func (a *answer) option(name string) string {
	for _, section := range []string{":env:.", "install.", "global."} {
		if value := strings.TrimSpace(a.Config[section+name]); value != "" {
			return value
		}
	}
	return ""
}

// ignoresIndex reports whether pip asks no index at a URL, whoever answers there: by plain http:// only the machine
// itself and hosts in trusted-host.
func (a *answer) ignoresIndex(index string) bool {
	u, err := url.Parse(index)
	if err != nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
		return false
	}
	trusted := strings.Fields(a.option("trusted-host"))
	return !slices.Contains(trusted, u.Hostname()) && !slices.Contains(trusted, u.Host)
}
