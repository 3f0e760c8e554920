package python

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
)

// validName and validRange match the parts of a word on pip's command line: no flag, no path, no URL.
var (
	validName  = job.Pattern(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	validRange = job.Pattern(`^[A-Za-z0-9.*!+<>=~,_-]*$`)
)

// options are those of every install. pip has them from 22.3 on.
const options = "install -vv --no-color --no-input --disable-pip-version-check --no-cache-dir --progress-bar off " +
	"--no-warn-script-location --retries 2 --timeout 60"

// beforeOption is pip's option for archives that were uploaded before a time. Where an index has no times pip refuses.
const beforeOption = "--uploaded-prior-to"

// install makes an environment in the stage and runs pip in it. Of a wheel pip unpacks files and runs nothing. An sdist
// is a program that makes a wheel: pip takes none, and the kernel lets pip start no process, for a dependency by URL
// would be one all the same. With scripts there is one launch for both, because the needs of an sdist are known when
// the sdist has been run; that launch has no log-in.
func install(ctx context.Context, j *job.Job) (*job.Contents, error) {
	a := j.Settings.Answer.(*answer)
	if a.uv != "" && strings.HasPrefix(j.Start.Tool, "uv") {
		return nil, errors.New(a.uv + " says which packages uv takes, and mcp-sandbox installs lines of uvx by pip: " +
			"write that into pip's configuration (pip config set global.index-url URL), and unset it for uv")
	}
	args := strings.Fields(options)
	if !j.Scripts {
		args = append(args, "--only-binary", ":all:")
	}
	if !j.Before.IsZero() {
		if !a.has(beforeOption) {
			return nil, fmt.Errorf("--min-age takes a pip with %s, as pip 26 is: %s has pip %s. Without --min-age it "+
				"is installed, and counts as old as it has been in the store", beforeOption, a.Python, a.Version)
		}
		args = append(args, beforeOption, j.Before.UTC().Format(time.RFC3339))
	}
	args = append(args, "--report", filepath.Join(j.Private, reportFile), "--")
	for _, s := range j.Start.Specs {
		wanted := strings.TrimPrefix(s.Range, "latest")
		if !validName().MatchString(s.Name) || !validRange().MatchString(wanted) {
			return nil, fmt.Errorf("%.100q is no name of a package with a version", s.Name+s.Range)
		}
		args = append(args, s.Name+wanted)
	}
	if err := makeEnvironment(j, a); err != nil {
		return nil, err
	}
	if err := configure(j, a); err != nil {
		return nil, err
	}
	start, err := a.Command()
	if err != nil {
		return nil, err
	}
	j.Program = filepath.Join(j.Stage, interpreter)
	run := job.Step{Args: append(start, args...), Env: variables(j), Alone: !j.Scripts, Slow: j.Scripts}
	if err := j.RunWithNetrc(ctx, run); err != nil {
		return nil, err
	}
	found, err := contents(j, a)
	if err != nil {
		return nil, err
	}
	j.Program = a.Python
	return found, fixScripts(j)
}

// interpreter is the interpreter of an environment: a link to the user's, so that mends of that hold here as well.
const interpreter = "bin/python"

// makeEnvironment makes the environment of `python -m venv --without-pip`, without the paths of the stage in scripts.
func makeEnvironment(j *job.Job, a *answer) error {
	for _, folder := range []string{"bin", filepath.Dir(a.Packages), a.Packages} {
		if err := j.Folder(folder); err != nil {
			return err
		}
	}
	if err := j.Folder(filepath.Join(filepath.Base(j.Private), "tmp")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(j.Stage, "pyvenv.cfg"), marker(a), 0o644); err != nil {
		return err
	}
	if err := os.Symlink("lib", filepath.Join(j.Stage, "lib64")); err != nil { // where Fedora's has binary packages
		return err
	}
	return os.Symlink(a.Python, filepath.Join(j.Stage, interpreter))
}

// marker is the text of pyvenv.cfg, which makes a folder an environment: PEP 405.
func marker(a *answer) []byte {
	return []byte("home = " + filepath.Dir(a.Python) + "\ninclude-system-site-packages = false\nversion = " + a.Full +
		"\n")
}

// Command is how the environment's Python starts the user's pip.
func (a *answer) Command() ([]string, error) {
	if strings.HasSuffix(a.Pip, ".whl") {
		return []string{"-I", filepath.Join(a.Pip, "pip")}, nil
	}
	runner := filepath.Join(a.Pip, "__pip-runner__.py")
	if _, err := os.Stat(runner); err != nil {
		return nil, fmt.Errorf("pip %s of %s is too old: 22.3 or newer is needed", a.Version, a.Python)
	}
	return []string{"-I", runner}, nil
}

// has reports whether this version of pip knows an option. That of a wheel is not looked into.
func (a *answer) has(option string) bool {
	b, err := job.ReadConfiguration(filepath.Join(a.Pip, "_internal", "cli", "cmdoptions.py"))
	return err == nil && strings.Contains(string(b), `"`+option+`"`)
}

// variables make pip read the file of configure, and unpack archives on the disk of the store.
func variables(j *job.Job) map[string]string {
	return map[string]string{"PIP_CONFIG_FILE": filepath.Join(j.Private, "pip.conf"),
		"TMPDIR": filepath.Join(j.Private, "tmp")}
}

// configure writes pip's whole configuration for an install.
func configure(j *job.Job, a *answer) error {
	index := j.Settings.Registries[0].URL
	u, err := url.Parse(index)
	if err != nil {
		return err
	}
	text := "[global]\n"
	for _, host := range strings.Fields(a.option("trusted-host")) {
		if host == u.Hostname() || host == u.Host {
			text += "trusted-host = " + host + "\n"
		}
	}
	if !j.Scripts {
		index = j.Settings.WithLogin(index)
	}
	text += "index-url = " + index + "\n"
	if len(j.Settings.CA) > 0 {
		ca := filepath.Join(j.Private, "ca.pem")
		if err := j.Write(ca, j.Settings.CA); err != nil {
			return err
		}
		text += "cert = " + ca + "\n"
	}
	return j.Write(filepath.Join(j.Private, "pip.conf"), []byte(text))
}
