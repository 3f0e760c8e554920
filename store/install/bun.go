package install

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/store/startline"
	"golang.org/x/mod/semver"
)

// bun is the row of bun, whose x is bunx as well.
var bun = manager{
	name:     "bun",
	programs: []string{"bun"},
	settings: bunSettings,
	project:  bunProject,
	install:  bunInstall,
	entry:    bunEntry,
	explain:  bunExplain,
	awaited:  bunAwaited,
}

// bunLeast is the first version that writes its lock file as text of its own accord, bunAge the first that does not
// install what is too young.
const (
	bunLeast = "1.2.0"
	bunAge   = "1.3.0"
)

// A bunRegistry is a registry of bunfig.toml: a URL, or a table with more.
type bunRegistry struct{ URL, Token, Username, Password string }

func (r *bunRegistry) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.URL) == nil {
		return nil
	}
	type table bunRegistry
	return json.Unmarshal(b, (*table)(r))
}

// A bunfig is what is read of bunfig.toml.
type bunfig struct {
	Install struct {
		Registry *bunRegistry
		Scopes   map[string]bunRegistry
		CA       any
		CAFile   string
	}
}

// bunSettings reads bunfig.toml and npmrc(5), for bun has no command that shows what bun read there. A variable is
// before bunfig.toml, and that before npmrc.
func bunSettings(ctx context.Context, q *question) (*settings, error) {
	version, err := q.version(ctx, bunLeast, "bun")
	if err != nil {
		return nil, err
	}
	all, err := npmrcFile(q, q.besideHome(".npmrc"))
	if err != nil {
		return nil, err
	}
	s := &settings{version: version}
	fig, err := bunfigOf(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := s.bunRegistries(q, all, fig); err != nil {
		return nil, err
	}
	text, file := npmText(fig.Install.CA)+"\n"+all["ca"], first(fig.Install.CAFile, all["cafile"])
	if s.ca, err = certificates(text, file); err != nil {
		return nil, fmt.Errorf("%s: %w", q.program, err)
	}
	s.proxy, s.noProxy = all["https-proxy"], all["noproxy"]
	return s, npmLogins(s, q, q.besideHome(".npmrc"))
}

// bunfigOf lets bun itself read the user's bunfig.toml, and the project's where that is asked for.
func bunfigOf(ctx context.Context, q *question) (fig bunfig, err error) {
	const script = `const fs = require("fs"); let all = {};
for (const f of process.argv.slice(1)) if (fs.existsSync(f)) {
	const {install} = Bun.TOML.parse(fs.readFileSync(f, "utf8"));
	all = {...all, ...install, scopes: {...all.scopes, ...install?.scopes}}; }
console.log(JSON.stringify({install: all}))`
	files := []string{q.besideHome(".bunfig.toml"), filepath.Join(q.folder, "bunfig.toml")}
	out, err := q.run(ctx, append([]string{"--config=" + os.DevNull, "-e", script}, files...)...)
	if err == nil {
		err = json.Unmarshal(out, &fig)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	return fig, err
}

// bunRegistries puts together what variables, bunfig.toml and npmrc name.
func (s *settings) bunRegistries(q *question, npmrc map[string]string, fig bunfig) error {
	all, logins := map[string]any{"registry": "https://registry.npmjs.org/"}, map[string]bunRegistry{}
	for name, value := range npmrc {
		if name == "registry" || strings.HasSuffix(name, ":registry") {
			all[name] = value
		}
	}
	for scope, r := range fig.Install.Scopes {
		name := "@" + strings.TrimPrefix(scope, "@") + ":registry"
		all[name], logins[name] = q.dollar(r.URL), r
	}
	if r := fig.Install.Registry; r != nil && r.URL != "" {
		all["registry"], logins["registry"] = q.dollar(r.URL), *r
	}
	for _, name := range []string{"npm_config_registry", "NPM_CONFIG_REGISTRY", "BUN_CONFIG_REGISTRY"} {
		if value, _ := lookup(q.env, name); value != "" {
			all["registry"] = value
			delete(logins, "registry")
		}
	}
	if token, _ := lookup(q.env, "BUN_CONFIG_TOKEN"); token != "" {
		logins["registry"] = bunRegistry{Token: token}
	}
	if err := s.npmRegistries(q, all); err != nil {
		return err
	}
	for name, r := range logins {
		scope := strings.TrimSuffix(strings.TrimSuffix(name, "registry"), ":")
		for _, known := range s.registries {
			if known.scope == scope {
				s.bunLogin(q, known, r)
			}
		}
	}
	return nil
}

// bunLogin takes what bunfig.toml logs in with.
func (s *settings) bunLogin(q *question, at registry, r bunRegistry) {
	_, where, _ := strings.Cut(at.url, ":")
	token, name, password := q.dollar(r.Token), q.dollar(r.Username), q.dollar(r.Password)
	switch {
	case token == "" && name == "":
		return
	case !q.auth:
	case token != "":
		s.logins = append(s.logins, login{key: where + ":_authToken", value: token})
	default:
		s.logins = append(s.logins, npmUserLogin(at, url.UserPassword(name, password)))
	}
	s.login = true
}

// bunProject is npmProject, and bunfig.toml before that.
func bunProject(dir string, env []string) (file, registry string) {
	file = filepath.Join(dir, "bunfig.toml")
	if b, err := readProjects(file); err == nil && strings.Contains(string(b), "registry") {
		return file, "of [install]"
	}
	return npmProject(dir, env)
}

// bunInstall runs `bun add` without install scripts, and with them, if they are wanted, `bun pm trust --all`.
func bunInstall(ctx context.Context, j *job) (*contents, error) {
	words, err := npmSpecs(j.start)
	if err != nil {
		return nil, err
	}
	if !j.before.IsZero() {
		if semver.Compare("v"+j.settings.version, "v"+bunAge) < 0 {
			return nil, fmt.Errorf("bun %s cannot hold --min-age: bun %s or newer can", j.settings.version, bunAge)
		}
		seconds := int64((time.Since(j.before) + time.Second - 1) / time.Second)
		words = append([]string{"--minimum-release-age=" + strconv.FormatInt(seconds, 10)}, words...)
	}
	if err := j.write(filepath.Join(j.stage, "package.json"), []byte("{\"private\":true}\n")); err != nil {
		return nil, err
	}
	if err := bunConfigure(j, j.settings.logins); err != nil {
		return nil, err
	}
	add := bunStep(j, []string{"add", "--ignore-scripts", "--backend=copyfile", "--save-text-lockfile"}, words)
	if err := j.run(ctx, add); err != nil {
		return nil, err
	}
	found, locked, err := bunContents(j)
	if err == nil && !j.before.IsZero() {
		err = bunAges(ctx, j, locked)
	}
	if err != nil || !j.scripts || len(found.scripts) == 0 {
		return found, err
	}
	if err := bunConfigure(j, nil); err != nil {
		return nil, err
	}
	trust := bunStep(j, []string{"pm", "trust", "--all"}, nil)
	trust.local, trust.slow, found.scripts = true, true, nil
	return found, j.run(ctx, trust)
}

// bunStep is one launch of bun, which reads nothing but the files of bunConfigure and the flags.
func bunStep(j *job, verb, words []string) step {
	config := filepath.Join(j.private, "bunfig.toml")
	args := slices.Concat(verb, []string{"--config=" + config, "--no-progress", "--no-summary"})
	if len(j.settings.ca) > 0 {
		args = append(args, "--cafile="+filepath.Join(j.private, "ca.pem"))
	}
	if semver.Compare("v"+j.settings.version, "v"+bunAge) >= 0 {
		args = append(args, "--linker=hoisted")
	}
	env := npmVariables(j)
	env["BUN_INSTALL_CACHE_DIR"] = filepath.Join(j.private, "cache")
	return step{args: append(args, words...), env: env}
}

// bunConfigure writes what bun reads.
func bunConfigure(j *job, logins []login) error {
	if err := pnpmrc(j, logins); err != nil {
		return err
	}
	return j.write(filepath.Join(j.private, "bunfig.toml"), []byte("[install]\nauto = \"disable\"\n"))
}

// bunEntry is npm's: bun makes the same links. With --bun the program and those that it starts are run by bun.
func bunEntry(folder string, s *startline.Start) (*entry, error) {
	e, err := npmEntry(folder, s)
	if err == nil && slices.Contains(s.Options, "--bun") {
		program := "bun"
		if strings.ContainsRune(s.Program, filepath.Separator) {
			program = filepath.Join(filepath.Dir(s.Program), program)
		}
		e.command = append([]string{program, "--bun", "run"}, e.command...)
	}
	return e, err
}
