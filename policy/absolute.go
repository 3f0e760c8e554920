package policy

import "strings"

// Absolute returns the policy with all its paths absolute and clean: "~/x" against home, relative ones against base.
// A leading "-" stays. It looks at the text only: a link in the middle of "a/../b" is not followed. What then cannot be
// granted, or needs a home that is not absolute, is an [Errors].
func (p Policy) Absolute(base, home string) (Policy, error) {
	var errs Errors
	for i := range keys {
		k := &keys[i]
		r := report{&errs, k}
		switch s := k.slot(&p).(type) {
		case list:
			if !k.paths() || len(*s.at) == 0 {
				continue
			}
			paths := make([]string, len(*s.at))
			for j, path := range *s.at {
				var err error
				if paths[j], err = resolve(path, base, home); err == nil {
					err = s.item(paths[j])
				}
				r.addAt(j, err)
			}
			*s.at = paths
		case scalar[string]:
			if s.at != &p.Cwd || p.Cwd == "" {
				continue
			}
			path, err := resolve(p.Cwd, base, home)
			if err == nil {
				_, err = s.read(path)
			}
			r.add("", err)
			p.Cwd = path
		}
	}
	return p, errs.Err()
}

// paths reports whether the key's list is of paths.
func (k *key) paths() bool {
	return k.section == "filesystem" || k.section == "network" && k.name == "allowUnixSockets"
}

func resolve(s, base, home string) (string, error) {
	if err := checkPath(s); err != nil {
		return s, err
	}
	p, optional := strings.CutPrefix(s, "-")
	switch {
	case absolute(p):
	case p == "~" || strings.HasPrefix(p, "~/"):
		if !absolute(home) {
			return s, invalid(s, "needs HOME, which is "+quote(home)+" and not absolute")
		}
		p = home + p[1:]
	case !absolute(base):
		return s, invalid(s, "is relative to "+quote(base)+", which is not absolute")
	default:
		p = base + "/" + p
	}
	p = clean(p)
	if optional {
		p = "-" + p
	}
	return p, nil
}
