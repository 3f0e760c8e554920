package install

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pipName and pipRange are what may stand in a word of pip's command line: no flag, no path, no URL.
var (
	pipName  = pattern(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	pipRange = pattern(`^[A-Za-z0-9.*!+<>=~,_-]*$`)
)

// pipOptions are those of every install. pip has them from 22.3 on.
const pipOptions = "install -vv --no-color --no-input --disable-pip-version-check --no-cache-dir --progress-bar off " +
	"--no-warn-script-location --retries 2 --timeout 60"

// pipBefore is pip's option for what was uploaded before a time. Where an index tells no times pip refuses.
const pipBefore = "--uploaded-prior-to"

// pipInstall makes an environment in the stage and runs pip in it. Of a wheel pip unpacks files and runs nothing. An
// sdist is a program that makes a wheel: pip takes none, and the kernel lets pip start no process, for a dependency by
// URL would be one all the same. With scripts there is one launch for both, because what an sdist needs is known when
// the sdist has been run; that launch has no log-in.
func pipInstall(ctx context.Context, j *job) (*contents, error) {
	a := j.settings.python
	if a.uv != "" && strings.HasPrefix(j.start.Tool, "uv") {
		return nil, errors.New(a.uv + " says which packages uv takes, and mcp-sandbox installs lines of uvx by pip: " +
			"write that into pip's configuration (pip config set global.index-url URL), and unset it for uv")
	}
	args := strings.Fields(pipOptions)
	if !j.scripts {
		args = append(args, "--only-binary", ":all:")
	}
	if !j.before.IsZero() {
		if !pipHas(a, pipBefore) {
			return nil, fmt.Errorf("--min-age takes a pip with %s, as pip 26 is: %s has pip %s. Without --min-age it "+
				"is installed, and counts as old as it has been in the store", pipBefore, a.Python, a.Version)
		}
		args = append(args, pipBefore, j.before.UTC().Format(time.RFC3339))
	}
	args = append(args, "--report", filepath.Join(j.private, pipReport), "--")
	for _, s := range j.start.Specs {
		wanted := strings.TrimPrefix(s.Range, "latest")
		if !pipName().MatchString(s.Name) || !pipRange().MatchString(wanted) {
			return nil, fmt.Errorf("%.100q is no name of a package with a version", s.Name+s.Range)
		}
		args = append(args, s.Name+wanted)
	}
	if err := pipEnvironment(j); err != nil {
		return nil, err
	}
	if err := pipConfigure(j); err != nil {
		return nil, err
	}
	start, err := pipStart(a)
	if err != nil {
		return nil, err
	}
	j.program = filepath.Join(j.stage, pipInterpreter)
	run := step{args: append(start, args...), env: pipVariables(j), alone: !j.scripts, slow: j.scripts}
	if err := j.runWithNetrc(ctx, run); err != nil {
		return nil, err
	}
	found, err := pipContents(j)
	if err != nil {
		return nil, err
	}
	j.program = a.Python
	return found, pipScripts(j)
}

// pipInterpreter is the interpreter of an environment: a link to the user's, so that mends of that hold here as well.
const pipInterpreter = "bin/python"

// pipEnvironment makes what `python -m venv --without-pip` makes, without the paths of the stage in scripts.
func pipEnvironment(j *job) error {
	for _, folder := range []string{"bin", filepath.Dir(j.settings.python.Packages), j.settings.python.Packages} {
		if err := j.folder(folder); err != nil {
			return err
		}
	}
	if err := j.folder(filepath.Join(filepath.Base(j.private), "tmp")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(j.stage, "pyvenv.cfg"), pipMarker(j.settings.python), 0o644); err != nil {
		return err
	}
	return os.Symlink(j.settings.python.Python, filepath.Join(j.stage, pipInterpreter))
}

// pipMarker is what makes a folder an environment: PEP 405.
func pipMarker(a *pipAnswer) []byte {
	return []byte("home = " + filepath.Dir(a.Python) + "\ninclude-system-site-packages = false\nversion = " + a.Full +
		"\n")
}

// folder makes a folder in the stage that the manager may change, and those above it. Its name may come from a
// manager's answer: nothing is made or given away outside of the stage.
func (j *job) folder(name string) error {
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return err
	}
	defer root.Close()
	at := "."
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		at = filepath.Join(at, part)
		if err := root.Mkdir(at, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		if j.owner >= 0 {
			if err := root.Lchown(at, j.owner, j.owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// pipStart is how the environment's Python starts the user's pip.
func pipStart(a *pipAnswer) ([]string, error) {
	if strings.HasSuffix(a.Pip, ".whl") {
		return []string{"-I", filepath.Join(a.Pip, "pip")}, nil
	}
	runner := filepath.Join(a.Pip, "__pip-runner__.py")
	if _, err := os.Stat(runner); err != nil {
		return nil, fmt.Errorf("pip %s of %s is too old: 22.3 or newer is needed", a.Version, a.Python)
	}
	return []string{"-I", runner}, nil
}

// pipHas reports whether this version of pip knows an option. That of a wheel is not looked into.
func pipHas(a *pipAnswer, option string) bool {
	b, err := readConfiguration(filepath.Join(a.Pip, "_internal", "cli", "cmdoptions.py"))
	return err == nil && strings.Contains(string(b), `"`+option+`"`)
}

// pipVariables make pip read the file of pipConfigure, and unpack archives on the disk of the store.
func pipVariables(j *job) map[string]string {
	return map[string]string{"PIP_CONFIG_FILE": filepath.Join(j.private, "pip.conf"),
		"TMPDIR": filepath.Join(j.private, "tmp")}
}

// pipConfigure writes pip's whole configuration for an install.
func pipConfigure(j *job) error {
	index := j.settings.registries[0].url
	u, err := url.Parse(index)
	if err != nil {
		return err
	}
	text := "[global]\n"
	for _, host := range strings.Fields(j.settings.python.option("trusted-host")) {
		if host == u.Hostname() || host == u.Host {
			text += "trusted-host = " + host + "\n"
		}
	}
	if !j.scripts {
		index = j.settings.withLogin(index)
	}
	text += "index-url = " + index + "\n"
	if len(j.settings.ca) > 0 {
		ca := filepath.Join(j.private, "ca.pem")
		if err := j.write(ca, j.settings.ca); err != nil {
			return err
		}
		text += "cert = " + ca + "\n"
	}
	return j.write(filepath.Join(j.private, "pip.conf"), []byte(text))
}
