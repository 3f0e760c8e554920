package install

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// npm is the row of npm, which npx is a part of.
var npm = manager{
	name:     "npm",
	programs: []string{"npm"},
	settings: npmSettings,
	project:  npmProject,
	install:  npmInstall,
	entry:    npmEntry,
	explain:  npmExplain,
	awaited:  npmAwaited,
}

// npmSettings asks `npm config list`, which shows no token: config(7) of npm.
func npmSettings(ctx context.Context, q *question) (*settings, error) {
	out, err := q.run(ctx, "config", "list", "--json", "--logs-max=0", "--update-notifier=false", "--no-workspaces")
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("%s config list: %w", q.program, err)
	}
	s := &settings{knows: map[string]bool{}}
	for name := range all {
		s.knows[name] = true
	}
	if err := s.npmRegistries(q, all); err != nil {
		return nil, err
	}
	s.proxy, s.noProxy = npmText(all["https-proxy"]), npmText(all["noproxy"])
	if s.ca, err = certificates(npmText(all["ca"]), npmText(all["cafile"])); err != nil {
		return nil, fmt.Errorf("%s config: %w", q.program, err)
	}
	return s, npmLogins(s, q, npmText(all["globalconfig"]), npmText(all["userconfig"]))
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
