package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// npm is the row of npm, which npx is a part of. It installs the lines of pnpm, bun and deno that name a package of
// npm's as well: these have the same names, the same registries and the same archives.
var npm = manager{
	name:          "npm",
	programs:      []string{"npm"},
	usual:         "registry.npmjs.org",
	configuration: configuration{npmFiles, npmDecides, "npm config set registry URL", "npmrc"},
	settings:      npmSettings,
	project:       npmProject,
	install:       npmInstall,
	entry:         npmEntry,
	asks: pattern(`^npm sill(?:y)? ` +
		`(?:fetch manifest (@?[^@\s]+)|tarball no local data for \S+?@(https?://\S+)\. )`),
	answers: pattern(`^npm http fetch GET \d+ (\S+)`),
}

// npmFiles are the user's npmrc(5), and those for all users: of the prefix that a line of the user's names, of npm's
// own and of node's.
func npmFiles(q *question) []string {
	own := filepath.Join(q.home, ".npmrc")
	files := []string{own}
	b, _ := readConfiguration(own)
	for _, found := range npmGlobalLine().FindAllStringSubmatch(string(b), -1) {
		at := strings.ReplaceAll(strings.Trim(found[2], `"'`), "${HOME}", q.home)
		if rest, below := strings.CutPrefix(at, "~/"); below {
			at = filepath.Join(q.home, rest)
		}
		if found[1] == "prefix" {
			at = filepath.Join(at, "etc", "npmrc")
		}
		if filepath.IsAbs(at) {
			files = append(files, at)
		}
	}
	programs := []string{q.program, platform.Resolved(q.program)}
	if node := q.find("node", filepath.Dir(q.program)); node != "" {
		programs = append(programs, node, platform.Resolved(node))
	}
	for _, program := range programs {
		files = append(files, filepath.Join(filepath.Dir(filepath.Dir(program)), "etc", "npmrc"))
	}
	if folder := ownFolder(q.program); folder != "" {
		files = append(files, filepath.Join(folder, "npmrc"))
	}
	files = append(files, "/etc/npmrc")
	return files
}

// npmGlobalLine is a line of npmrc(5) that says where the file for all users lies.
var npmGlobalLine = pattern(`(?m)^\s*(prefix|globalconfig)\s*=\s*(.*?)\s*$`)

// npmDecides is true for the options of npm that name registries or files with such options; npm reads them in any
// case, with - for _. pnpm and bun have names of their own.
func npmDecides(name string, _ *startline.Start) bool {
	option := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	for _, front := range []string{"npm_config_", "pnpm_config_", "bun_config_"} {
		option, found := strings.CutPrefix(option, front)
		if found && (slices.Contains([]string{"registry", "userconfig", "globalconfig"}, option) ||
			strings.HasSuffix(option, ":registry")) {
			return true
		}
	}
	return false
}

// npmSettings asks `npm config list`, which shows no token: config(7) of npm.
func npmSettings(ctx context.Context, q *question) (*settings, error) {
	own := filepath.Join(q.home, ".npmrc")
	env := map[string]string{"HOME": q.home, "npm_config_userconfig": q.copyOf(own)}
	out, err := q.run(ctx, env, "config", "list", "--json", "--logs-max=0", "--update-notifier=false",
		"--no-workspaces")
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("%s config list: %w", q.program, err)
	}
	global := npmText(all["globalconfig"])
	if _, err := os.Lstat(global); err == nil && !slices.Contains(q.files, global) {
		return nil, fmt.Errorf("%s reads %s, which is not where mcp-sandbox looks: `npm config set globalconfig %[2]s "+
			"--location=user` names that", q.program, global)
	}
	for _, name := range []string{"before", "min-release-age"} {
		if value := all[name]; value != nil && value != "" && value != float64(0) {
			return nil, fmt.Errorf("npm's configuration has %s %v, by which an install in the store does not go: "+
				"--min-age does that, and `npm config delete %[1]s` takes it out", name, value)
		}
	}
	s := &settings{knows: map[string]bool{}, said: []string{global, own}}
	for name := range all {
		s.knows[name] = true
	}
	for name, value := range q.project { // never with the project's log-in
		all[name] = redact(value)
	}
	if err := s.npmRegistries(q, all); err != nil {
		return nil, err
	}
	s.proxy, s.noProxy = npmText(all["https-proxy"]), npmText(all["noproxy"])
	if s.ca, err = certificates(npmText(all["ca"]), npmText(all["cafile"])); err != nil {
		return nil, fmt.Errorf("%s config: %w", q.program, err)
	}
	return s, npmLogins(s, q, global, own)
}

// npmScope is a scope in the name of an option.
var npmScope = pattern(`^@[A-Za-z0-9._~-]+$`)

// npmRegistries takes the registries from a configuration with the names of npmrc(5).
func (s *settings) npmRegistries(q *question, all map[string]any) error {
	for name, value := range all {
		scope, found := strings.CutSuffix(name, ":registry")
		if name != "registry" && !(found && npmScope().MatchString(scope)) {
			continue
		}
		if !found {
			scope = ""
		}
		text, ok := value.(string)
		r, user, err := newRegistry(scope, text)
		if err != nil || !ok {
			return fmt.Errorf("%s config: %s: %w", q.program, name, err)
		}
		s.registries, s.login = append(s.registries, r), s.login || user != nil
		if user != nil && q.auth {
			s.logins = append(s.logins, npmUserLogin(r, user))
		}
	}
	slices.SortFunc(s.registries, func(a, b registry) int { return strings.Compare(a.scope, b.scope) })
	if len(s.registries) == 0 || s.registries[0].scope != "" {
		return fmt.Errorf("%s names no registry", q.program)
	}
	return nil
}

// npmText is the text of an option, whose parts a comma separates if there are several.
func npmText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, npmText(one))
		}
		return strings.Join(parts, ",")
	}
	return ""
}
