package install

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/mod/semver"
)

// pnpm is the row of pnpm, whose dlx is pnpx as well.
var pnpm = manager{
	name:     "pnpm",
	programs: []string{"pnpm", "pn"},
	settings: pnpmSettings,
	project:  npmProject,
	install:  pnpmInstall,
	entry:    pnpmEntry,
	explain:  pnpmExplain,
	awaited:  pnpmAwaited,
}

// pnpmQuiet keep pnpm from running what a project brings: .pnpmfile.cjs, and the pnpm of its package.json, which
// comes from the project's registry.
var pnpmQuiet = []string{"npm_config_ignore_pnpmfile=true", "npm_config_manage_package_manager_versions=false",
	"pnpm_config_ignore_pnpmfile=true", "pnpm_config_pm_on_fail=ignore", "COREPACK_ENV_FILE=0",
	"COREPACK_ENABLE_PROJECT_SPEC=0"}

// pnpmSettings asks `pnpm config list`. Versions before 11 show tokens there, which are not kept from there.
func pnpmSettings(ctx context.Context, q *question) (*settings, error) {
	asked := *q
	asked.env = append(slices.Clip(asked.env), pnpmQuiet...)
	version, err := asked.version(ctx, "9.0.0", "pnpm")
	if err != nil {
		return nil, err
	}
	out, err := asked.run(ctx, "config", "list", "--json")
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("%s config list: %w", q.program, err)
	}
	s := &settings{version: version}
	if err := s.npmRegistries(q, all); err != nil {
		return nil, err
	}
	text := func(name string) string { return npmText(all[name]) }
	s.proxy = first(text("httpsProxy"), text("https-proxy"))
	s.noProxy = first(text("noProxy"), text("noproxy"), text("no-proxy"))
	if s.ca, err = certificates(text("ca"), first(text("cafile"), text("caFile"))); err != nil {
		return nil, fmt.Errorf("%s config: %w", q.program, err)
	}
	own := q.configHome("pnpm")
	return s, npmLogins(s, q, text("npm-globalconfig"), filepath.Join(own, "rc"), filepath.Join(own, "auth.ini"),
		q.npmrc())
}

// pnpmOptions are those of every install. A version that has not one of them passes it over. Files are copied: a hard
// link would lead into a store that another user's install may share.
var pnpmOptions = []string{"ignore-scripts=true", "lockfile=true", "lockfile-include-tarball-url=true",
	"package-import-method=copy", "node-linker=isolated", "virtual-store-dir=node_modules/.pnpm",
	"enable-global-virtual-store=false", "symlink=true", "shamefully-hoist=false", "side-effects-cache=false",
	"verify-store-integrity=true", "block-exotic-subdeps=true", "manage-package-manager-versions=false",
	"update-notifier=false", "strict-dep-builds=false", "fetch-retries=2", "fetch-retry-factor=2",
	"fetch-retry-mintimeout=1000", "fetch-retry-maxtimeout=2000", "fetch-timeout=60000"}

// pnpmAge is the first version that does not install what is too young.
const pnpmAge = "10.16.0"

// pnpmInstall runs `pnpm add` without install scripts, and with them, if they are wanted, `pnpm rebuild`.
func pnpmInstall(ctx context.Context, j *job) (*contents, error) {
	words, err := npmSpecs(j.start)
	if err != nil {
		return nil, err
	}
	age, err := pnpmMinAge(j)
	if err != nil {
		return nil, err
	}
	if err := j.write(filepath.Join(j.stage, "package.json"), []byte("{\"private\":true}\n")); err != nil {
		return nil, err
	}
	if err := pnpmrc(j, j.settings.logins); err != nil {
		return nil, err
	}
	if err := j.run(ctx, pnpmStep(j, "add", slices.Concat(age, words)...)); err != nil {
		return nil, err
	}
	found, err := pnpmContents(j)
	if err != nil || !j.scripts || len(found.scripts) == 0 {
		return found, err
	}
	if err := pnpmrc(j, nil); err != nil {
		return nil, err
	}
	rebuild := pnpmStep(j, "rebuild", append(age, "--config.ignore-scripts=false", "--config.offline=true",
		"--config.dangerously-allow-all-builds=true")...)
	rebuild.local, rebuild.slow, found.scripts = true, true, nil
	return found, j.run(ctx, rebuild)
}

// pnpmMinAge is the flag for job.before, in whole minutes, rounded up.
func pnpmMinAge(j *job) ([]string, error) {
	if j.before.IsZero() {
		return nil, nil // then newer versions hold a day of their own accord
	}
	if semver.Compare("v"+j.settings.version, "v"+pnpmAge) < 0 {
		return nil, fmt.Errorf("pnpm %s cannot hold --min-age: pnpm %s or newer can", j.settings.version, pnpmAge)
	}
	minutes := int64((time.Since(j.before) + time.Minute - 1) / time.Minute)
	return []string{"--config.minimum-release-age=" + strconv.FormatInt(minutes, 10),
		"--config.minimum-release-age-strict=true", "--config.minimum-release-age-ignore-missing-time=false",
		"--config.minimum-release-age-exclude="}, nil
}

// pnpmStep is one launch of pnpm, which reads nothing but the file of pnpmrc and the flags.
func pnpmStep(j *job, verb string, more ...string) step {
	args := []string{verb, "--ignore-workspace", "--reporter=ndjson"}
	for _, o := range pnpmOptions {
		args = append(args, "--config."+o)
	}
	for _, place := range []string{"store", "cache", "state"} {
		args = append(args, "--config."+place+"-dir="+filepath.Join(j.private, place))
	}
	if len(j.settings.ca) > 0 {
		args = append(args, "--config.cafile="+filepath.Join(j.private, "ca.pem"))
	}
	env := npmVariables(j)
	env["GIT_ALLOW_PROTOCOL"] = "none" // of a dependency that is a repository
	return step{args: append(args, more...), env: env}
}

// pnpmrc writes what pnpm reads of npmrc(5): options stand in the flags.
func pnpmrc(j *job, logins []login) error {
	text, err := npmrcRegistries(j, logins)
	if err != nil {
		return err
	}
	return j.write(filepath.Join(j.private, "npmrc"), []byte(text))
}
