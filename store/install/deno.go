package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/store/startline"
	"golang.org/x/mod/semver"
)

// deno is the row of deno run npm:NAME and jsr:@SCOPE/NAME.
var deno = manager{
	name:     "deno",
	programs: []string{"deno"},
	settings: denoSettings,
	install:  denoInstall,
	entry:    denoEntry,
	explain:  denoExplain,
	awaited:  denoAwaited,
}

// denoLeast is the first version with the lock file that is read here, denoAge the first that does not install what is
// too young.
const (
	denoLeast = "2.3.0"
	denoAge   = "2.5.5"
)

// denoFolder is DENO_DIR in the package, denoConfig the configuration beside it, and denoJSR the scope of jsr.io among
// the registries: no scope of npm has such a name.
const (
	denoFolder = "deno"
	denoConfig = "deno.json"
	denoJSR    = "jsr:"
)

// denoStores is the variable of the lists of authorities that deno trusts: its own, or the machine's.
const denoStores = "DENO_TLS_CA_STORE"

// denoSettings reads the user's npmrc(5), for deno has no command that shows what deno read there. A variable is before
// that.
func denoSettings(ctx context.Context, q *question) (*settings, error) {
	version, err := q.version(ctx, denoLeast, "deno")
	if err != nil {
		return nil, err
	}
	home, _ := lookup(q.env, "HOME")
	file := filepath.Join(home, ".npmrc")
	npmrc, err := npmrcFile(q, file)
	if err != nil {
		return nil, err
	}
	all := map[string]any{"registry": "https://registry.npmjs.org/"}
	for name, value := range npmrc {
		all[name] = value
	}
	if value, _ := lookup(q.env, "NPM_CONFIG_REGISTRY"); value != "" {
		all["registry"] = value
	}
	s := &settings{version: version}
	if err := s.npmRegistries(q, all); err != nil {
		return nil, err
	}
	url, _ := lookup(q.env, "JSR_URL")
	r, user, err := newRegistry(denoJSR, first(url, "https://jsr.io/"))
	if err != nil || user != nil {
		return nil, fmt.Errorf("JSR_URL is no URL without a user name: %w", err)
	}
	s.registries = append(s.registries, r)
	authority, _ := lookup(q.env, "DENO_CERT")
	if s.ca, err = certificates("", authority); err != nil {
		return nil, fmt.Errorf("DENO_CERT: %w", err)
	}
	return s, npmLogins(s, q, file)
}

// denoInstall runs `deno cache`, which runs no program of a package: without a node_modules deno runs no install script
// at all.
func denoInstall(ctx context.Context, j *job) (*contents, error) {
	if len(j.start.Specs) != 1 {
		return nil, errors.New("deno run starts one package")
	}
	spec := j.start.Specs[0]
	if _, err := npmSpecs(j.start); err != nil {
		return nil, err
	}
	age, err := denoMinAge(j)
	if err != nil {
		return nil, err
	}
	jsr := j.settings.jsr()
	if spec.Ecosystem != "jsr" { // a package of npm's needs nothing of jsr
		jsr, j.settings = "", j.settings.withoutJSR()
	}
	if err := denoConfigure(j, jsr, j.settings.logins); err != nil {
		return nil, err
	}
	args := append([]string{"cache", "--config=" + denoConfig, "--lock=" + denoLock, "--node-modules-dir=none"}, age...)
	env := denoInstallVariables(j, jsr)
	if len(j.settings.ca) > 0 {
		args = append(args, "--cert="+filepath.Join(j.private, "ca.pem"))
	}
	if err := j.run(ctx, step{args: append(args, spec.String()), env: env}); err != nil {
		return nil, err
	}
	found, err := denoContents(j)
	if err == nil && j.scripts && len(found.scripts) > 0 {
		err = fmt.Errorf("deno run has no install scripts run, those of %s neither: leave --scripts out",
			few(found.scripts))
	}
	if err != nil {
		return nil, err
	}
	return found, denoConfigure(j, jsr, nil)
}

// denoInstallVariables are those of a start, and those of the install alone.
func denoInstallVariables(j *job, jsr string) map[string]string {
	env := denoVariables(j.stage, jsr)
	env["NO_COLOR"] = "1"
	if stores, ok := lookup(j.cell.Env, denoStores); ok {
		env[denoStores] = stores
	}
	return env
}

func denoMinAge(j *job) ([]string, error) {
	if j.before.IsZero() {
		return nil, nil
	}
	if semver.Compare("v"+j.settings.version, "v"+denoAge) < 0 {
		return nil, fmt.Errorf("deno %s cannot hold --min-age: deno %s or newer can", j.settings.version, denoAge)
	}
	return []string{"--minimum-dependency-age=" + j.before.UTC().Format(time.RFC3339)}, nil
}

// denoVariables keep deno to the folder, and name the registry of jsr where the package came from one.
func denoVariables(folder, jsr string) map[string]string {
	env := map[string]string{"DENO_DIR": filepath.Join(folder, denoFolder), "DENO_NO_UPDATE_CHECK": "1"}
	if jsr != "" {
		env["JSR_URL"] = jsr
	}
	return env
}

// jsr is the URL of the registry of jsr.
func (s *settings) jsr() string {
	for _, r := range s.registries {
		if r.scope == denoJSR {
			return r.url
		}
	}
	return ""
}

func (s *settings) withoutJSR() *settings {
	only := *s
	only.registries = slices.DeleteFunc(slices.Clone(s.registries), func(r registry) bool { return r.scope == denoJSR })
	return &only
}

// denoConfigure writes the configuration that holds at each start as well: where a package lies in DENO_DIR depends on
// the URL of its registry. Log-ins are there for the install alone.
func denoConfigure(j *job, jsr string, logins []login) error {
	npm := *j
	npm.settings = j.settings.withoutJSR()
	text, err := npmrcRegistries(&npm, logins)
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool {
		return strings.HasPrefix(l, "cafile=") // for the install alone, by a flag
	})
	err = errors.Join(err, j.write(filepath.Join(j.stage, denoConfig), []byte("{}\n")),
		j.write(filepath.Join(j.stage, ".npmrc"), []byte(strings.Join(lines, ""))))
	if jsr != "" {
		err = errors.Join(err, j.write(filepath.Join(j.stage, denoJSRFile), []byte(jsr+"\n")))
	}
	return err
}

// denoEntry is deno run with the flags of the line, from the folder alone. The folder's configuration stands in place
// of one of the working folder. In a read-only DENO_DIR deno keeps in memory what it writes else: the analysis of
// dependencies, and compiled code.
func denoEntry(folder string, s *startline.Start) (*entry, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := denoRead(root)
	if err != nil {
		return nil, err
	}
	if len(s.Specs) != 1 {
		return nil, errors.New("deno run starts one package")
	}
	spec := s.Specs[0]
	exact, err := lock.exact(spec)
	if err != nil {
		return nil, err
	}
	word := spec.Ecosystem + ":" + spec.Name + "@" + exact
	if spec.Ecosystem == "npm" {
		own := denoPackage(root, spec.Name, exact)
		if own == "" {
			return nil, fmt.Errorf("%s is not in %s", word, denoFolder)
		}
		if _, err := npmProgramIn(root, folder, own, spec.Name, s.Bin); err != nil {
			return nil, err
		}
	}
	jsr, err := readRegular(root, denoJSRFile, 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e := &entry{owner: spec.Name}
	for name, value := range denoVariables(folder, strings.TrimSpace(string(jsr))) {
		e.env = append(e.env, name+"="+value)
	}
	slices.Sort(e.env)
	e.command = slices.Concat([]string{first(s.Program, "deno"), "run"}, s.Options,
		[]string{"--cached-only", "--frozen", "--node-modules-dir=none",
			"--config=" + filepath.Join(folder, denoConfig),
			"--lock=" + filepath.Join(folder, denoLock), strings.TrimSuffix(word+"/"+s.Bin, "/")})
	return e, nil
}
