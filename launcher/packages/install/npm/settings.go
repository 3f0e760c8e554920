// Package npm installs packages of npm, for the lines of npx, pnpm, bun and deno, by `npm install`.
package npm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// Manager is the row of npm, which npx is a part of. It installs the lines of pnpm, bun and deno that name a package of
// npm's as well: these have the same names, the same registries and the same archives.
var Manager = job.Manager{
	Name: "npm", Programs: []string{"npm"}, Usual: "registry.npmjs.org",
	Write: "npm config set registry URL", Logins: "npmrc",
	Files: files, Decides: decides, Settings: settings, Project: project, Install: install, Entry: entry,
}

// files are the user's npmrc(5), and those for all users: of the prefix that a line of the user's names, of npm's
// own and of node's.
func files(q *job.Question) []string {
	own := filepath.Join(q.Home, ".npmrc")
	files := []string{own}
	b, _ := job.ReadConfiguration(own)
	for _, found := range globalLine().FindAllStringSubmatch(string(b), -1) {
		at := strings.ReplaceAll(strings.Trim(found[2], `"'`), "${HOME}", q.Home)
		if rest, below := strings.CutPrefix(at, "~/"); below {
			at = filepath.Join(q.Home, rest)
		}
		if found[1] == "prefix" {
			at = filepath.Join(at, "etc", "npmrc")
		}
		if filepath.IsAbs(at) {
			files = append(files, at)
		}
	}
	files = slices.Concat(files, q.Beside(q.Program, "etc/npmrc"),
		q.Beside(q.Find("node", filepath.Dir(q.Program)), "etc/npmrc"))
	if folder := job.OwnFolder(q.Program); folder != "" && q.Users(q.Program) {
		files = append(files, filepath.Join(folder, "npmrc"))
	}
	return append(files, "/etc/npmrc")
}

// globalLine is a line of npmrc(5) that says where the file for all users lies.
var globalLine = job.Pattern(`(?m)^\s*(prefix|globalconfig)\s*=\s*(.*?)\s*$`)

// decides is true for the options of npm that name registries or files with such options; npm reads them in any
// case, with - for _. pnpm and bun have names of their own.
func decides(name string, _ *startline.Start) bool {
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

// settings asks `npm config list`, which shows no token: config(7) of npm.
func settings(ctx context.Context, q *job.Question) (*job.Settings, error) {
	own := filepath.Join(q.Home, ".npmrc")
	env := map[string]string{"HOME": q.Home, "npm_config_userconfig": q.CopyOf(own)}
	out, err := q.Run(ctx, env, "config", "list", "--json", "--logs-max=0", "--update-notifier=false",
		"--no-workspaces")
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("%s config list: %w", q.Program, err)
	}
	global := asText(all["globalconfig"])
	if _, err := os.Lstat(global); err == nil && !slices.Contains(q.Files, global) {
		return nil, fmt.Errorf("%s reads %s, which is not where mcp-sandbox looks: `npm config set globalconfig %[2]s "+
			"--location=user` names that", q.Program, global)
	}
	for _, name := range []string{"before", "min-release-age"} {
		if value := all[name]; value != nil && value != "" && value != float64(0) {
			return nil, fmt.Errorf("npm's configuration has %s %v, by which an install in the store does not go: "+
				"--min-age does that, and `npm config delete %[1]s` takes it out", name, value)
		}
	}
	s := &job.Settings{Knows: map[string]bool{}, Said: []string{global, own}}
	for name := range all {
		s.Knows[name] = true
	}
	for name, value := range q.Project { // never with the project's log-in
		all[name] = job.Redact(value)
	}
	if err := addRegistries(s, q, all); err != nil {
		return nil, err
	}
	s.Proxy, s.NoProxy = asText(all["https-proxy"]), asText(all["noproxy"])
	if s.CA, err = job.Certificates(asText(all["ca"]), asText(all["cafile"])); err != nil {
		return nil, fmt.Errorf("%s config: %w", q.Program, err)
	}
	return s, readLogins(s, q, global, own)
}

// validScope is a scope in the name of an option.
var validScope = job.Pattern(`^@[A-Za-z0-9._~-]+$`)

// addRegistries takes the registries from a configuration with the names of npmrc(5).
func addRegistries(s *job.Settings, q *job.Question, all map[string]any) error {
	for name, value := range all {
		scope, found := strings.CutSuffix(name, ":registry")
		if name != "registry" && !(found && validScope().MatchString(scope)) {
			continue
		}
		if !found {
			scope = ""
		}
		text, ok := value.(string)
		r, user, err := job.NewRegistry(scope, text)
		if err != nil || !ok {
			return fmt.Errorf("%s config: %s: %w", q.Program, name, err)
		}
		s.Registries, s.Login = append(s.Registries, r), s.Login || user != nil
		if user != nil && q.Auth {
			s.Logins = append(s.Logins, userLogin(r, user))
		}
	}
	slices.SortFunc(s.Registries, func(a, b job.Registry) int { return strings.Compare(a.Scope, b.Scope) })
	if len(s.Registries) == 0 || s.Registries[0].Scope != "" {
		return fmt.Errorf("%s names no registry", q.Program)
	}
	return nil
}

// asText is the text of an option, with commas between its parts if there are several.
func asText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var parts []string
		for _, one := range v {
			parts = append(parts, asText(one))
		}
		return strings.Join(parts, ",")
	}
	return ""
}
