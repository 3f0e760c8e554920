// Package python installs packages of PyPI, for the lines of pipx and uvx, by pip.
package python

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// usualHosts are the hosts of the index that pip has built in, and of its archives.
const usualHosts = "pypi.org files.pythonhosted.org"

// Manager is the row of pip, with which lines of pipx and of uvx are installed: both make an environment of a Python's
// and start a program of the package in it. uv itself is not run here.
var Manager = job.Manager{
	Name: "pypi", Programs: []string{"pipx", "python3", "python"}, Usual: usualHosts,
	Write: "pip config set global.index-url URL", Logins: "netrc",
	Files: files, Decides: decides, Limited: limited, Settings: settings, Install: install, Entry: entry,
}

// files are the files of pip's configuration, and of uv's, which [uvLimit] reads.
func files(q *job.Question) []string {
	return slices.Concat([]string{filepath.Join(q.Home, ".pip", "pip.conf"), filepath.Join(q.Config, "pip", "pip.conf"),
		"/etc/xdg/pip/pip.conf", "/etc/pip.conf"}, q.Beside(q.Program, "pip.conf"), uvFiles(q.User))
}

// decides is true for the variables of pip's options that say which packages are taken. Those of uv count for lines
// of uv alone.
func decides(name string, s *startline.Start) bool {
	return slices.Contains([]string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX",
		"PIP_CONFIG_FILE", "PIP_CONSTRAINT", "PIP_REQUIRE_HASHES", "PIP_UPLOADED_PRIOR_TO"}, name) ||
		strings.HasPrefix(s.Tool, "uv") && slices.Contains(uvLimits, name)
}

// settings asks the Python that pipx would take, and its pip.
func settings(ctx context.Context, q *job.Question) (*job.Settings, error) {
	python, err := pythonOf(q)
	if err != nil {
		return nil, err
	}
	a, err := answerOf(ctx, *q, python)
	if err != nil {
		return nil, fmt.Errorf("%s with pip is needed: %w", python, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", python, err)
	}
	a.uv = uvLimit(q.User)
	s := &job.Settings{Answer: a}
	return s, addIndex(s, q)
}

// pythonOf is the interpreter that pipx takes: that of its own first line.
func pythonOf(q *job.Question) (string, error) {
	if filepath.Base(q.Program) != "pipx" {
		return q.Program, nil
	}
	b, _ := job.ReadConfiguration(q.Program) // a program that cannot be read names no Python
	line, _, _ := strings.Cut(string(b), "\n")
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if strings.HasPrefix(line, "#!") && len(words) == 1 && strings.HasPrefix(filepath.Base(words[0]), "py") {
		return words[0], nil
	}
	if found := q.Find("python3", ""); found != "" {
		return found, nil
	}
	return "", fmt.Errorf("%s: its Python is not known, and there is no python3 in PATH", q.Program)
}

// limits are options by which a user keeps packages out. They are not carried over, and so nothing is installed.
var limits = []string{"constraint", "require-hashes", "uploaded-prior-to"}

// addIndex makes settings of pip's configuration.
func addIndex(s *job.Settings, q *job.Question) error {
	a := s.Answer.(*answer)
	if extra := a.option("extra-index-url"); extra != "" {
		return errors.New("pip's configuration has extra-index-url " + job.Redact(strings.Fields(extra)[0]) + ": pip " +
			"takes the higher version of a name from whichever index has it, so a stranger's package may take the " +
			"place of yours. Name one index that has all packages (pip config set global.index-url URL, and " +
			"pip config unset global.extra-index-url)")
	}
	if no := a.option("no-index"); no != "" && !strings.ContainsAny(no[:1], "0fFnN") {
		return errors.New("pip's configuration has no-index: no package can be fetched")
	}
	for _, name := range limits {
		if value := a.option(name); value != "" && value != "false" {
			return fmt.Errorf("pip's configuration has %s %.100q, by which an install in the store does not go: "+
				"pip config unset global.%[1]s takes it out", name, value)
		}
	}
	usual := strings.Fields(usualHosts)
	index := "https://" + usual[0] + "/simple/"
	r, user, err := job.NewRegistry("", cmp.Or(a.option("index-url"), index))
	if err != nil {
		return fmt.Errorf("pip config: index-url: %w", err)
	}
	r.Ignored = a.ignoresIndex(r.URL)
	s.Registries = append(s.Registries, r)
	if r.URL == index {
		s.Registries = append(s.Registries, job.Registry{Scope: "@files", URL: "https://" + usual[1] + "/"})
	}
	s.Proxy = a.option("proxy")
	ca := a.option("cert")
	for _, name := range []string{"PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		if value := order.Lookup(q.Env, name); ca == "" {
			ca = value
		}
	}
	if s.CA, err = job.Certificates("", ca); err != nil {
		return fmt.Errorf("pip config: cert: %w", err)
	}
	if s.Login = user != nil; s.Login && q.Auth {
		s.Logins = []job.Login{{Key: r.URL, Value: user.String()}}
	}
	s.Netrc(q)
	return nil
}

// A line of uvx is installed by pip, from the index of pip's configuration. Where uv's own names an index, pip would
// ask another one for the same names, and take packages that uv keeps out: then nothing is installed.

// uvLimits are the variables of docs.astral.sh/uv/reference/environment that say which packages uv takes.
var uvLimits = []string{"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",
	"UV_EXCLUDE_NEWER", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_CONFIG_FILE"}

// uvKeys are such keys of a uv.toml. A key that only looks like one is refused for nothing, with an error.
var uvKeys = job.Pattern(`index|find-links|exclude-newer|constraint|override`)

// uvLimit is the file in which a user says where uv's tools come from, or which may be taken; "" is for
// none. For tools uv reads no configuration of a project: docs.astral.sh/uv/concepts/configuration-files.
func uvLimit(u job.User) string {
	for _, file := range uvFiles(u) {
		if b, err := job.ReadConfiguration(file); err == nil && uvKeys().Match(b) {
			return file
		}
	}
	return ""
}

// limited is true for a line of uv's that uv's limits refuse: the package may be there by a line of pipx.
func limited(q *job.Question, s *startline.Start, registry string) bool {
	known := &job.Settings{Registries: []job.Registry{{URL: registry}}}
	decides := func(name string) bool {
		value := order.Lookup(q.Env, name)
		return value != "" && !slices.Contains(q.Files, value) && !known.Has(value)
	}
	return strings.HasPrefix(s.Tool, "uv") && (uvLimit(q.User) != "" || slices.ContainsFunc(uvLimits, decides))
}

// uvFiles are the configuration files of uv's tools.
func uvFiles(u job.User) []string {
	return []string{filepath.Join(u.Config, "uv", "uv.toml"), "/etc/uv/uv.toml", "/etc/xdg/uv/uv.toml"}
}
