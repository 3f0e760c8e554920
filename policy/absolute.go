package policy

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Absolute returns the policy with all its paths absolute and clean: "~/x" against home, relative ones against base. A
// leading "-" stays. Absolute reads the text only: a link in the middle of "a/../b" is not followed. A path that then
// cannot be granted, or needs a home that is not absolute, is an [Errors].
func (p Policy) Absolute(base, home string) (Policy, error) {
	var errs Errors
	for i := range keys {
		k := &keys[i]
		l, ok := k.slot(&p).(list)
		if !ok || !k.paths() || l.empty() {
			continue
		}
		r, paths := keyErrors{&errs, k}, make([]string, len(*l.at))
		for j, path := range *l.at {
			if k.name == "allowUnixSockets" && strings.TrimPrefix(path, "-") == AgentSocket {
				paths[j] = path
				continue
			}
			var err error
			paths[j], err = resolve(path, base, home, l.item)
			r.addAt(j, err)
		}
		*l.at = paths
	}
	if p.Cwd != "" {
		path, err := resolve(p.Cwd, base, home, checkFolder)
		r := keyErrors{&errs, find("", "cwd")}
		r.add("", err)
		p.Cwd = path
	}
	return p, errs.Err()
}

// paths reports whether the key's list is of paths.
func (k *key) paths() bool {
	return k.section == "filesystem" || k.section == "network" && k.name == "allowUnixSockets"
}

// resolve makes one path absolute, and checks it before and after.
func resolve(s, base, home string, check func(string) error) (string, error) {
	if err := check(s); err != nil {
		return s, err
	}
	p, optional := strings.CutPrefix(s, "-")
	switch {
	case absolute(p):
	case p == "~" || strings.HasPrefix(p, "~/"):
		if !absolute(home) {
			return s, invalid(s, "needs HOME, which is "+text.Quote(home)+" and not absolute: write the whole path")
		}
		p = home + p[1:]
	case !absolute(base):
		return s, invalid(s, "is relative to "+text.Quote(base)+", which is not absolute")
	default:
		p = base + "/" + p
	}
	p = clean(p)
	if optional {
		p = "-" + p
	}
	return p, check(p)
}
