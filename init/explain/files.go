package explain

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// tilde is a path as people write it.
func (t *teller) tilde(at string) string {
	if at = strings.TrimPrefix(at, "-"); t.home != "" && policy.Within(at, t.home) {
		at = "~" + at[len(t.home):]
	}
	return short(at)
}

// homeOf is the home that a path is or lies in, "" for none, and whether the home is another user's.
func (t *teller) homeOf(at string) (home string, others bool) {
	if t.home != "" && policy.Within(at, t.home) {
		return t.home, false
	}
	for _, folder := range homes {
		if policy.Below(at, folder) {
			name, _, _ := strings.Cut(at[len(folder)+1:], "/")
			return folder + "/" + name, true
		}
	}
	if policy.Within(at, "/root") {
		return "/root", true
	}
	return "", false
}

// tellEverything tells of all files of the machine.
func tellEverything(t *teller) {
	named := t.given.Filesystem.Default != ""
	switch {
	case t.open() && named:
		t.noEffect("/filesystem/default")
	case t.open():
	case t.p.Filesystem.Default == policy.Read:
		root := &t.paths.all[0]
		v, text := Wide, "can read all files of this machine, and so your whole home"
		if t.home != "" && t.paths.reader(t.home) != root {
			text = "can read all files of this machine but your home"
		}
		if found := secretsIn(t, root); len(found) > 0 {
			v, text = Dangerous, text+", with secrets where you have them: "+some(found)
		}
		t.seen = max(t.seen, v)
		t.byDefault(named, v, "/filesystem/default", text+"; /tmp, /run and /sys are not shown")
	default:
		t.byDefault(named, Safe, "/filesystem/default", "sees programs, libraries and certificates (/usr, a part of "+
			"/etc), its own command, and no other file but those of this policy")
	}
}

// tellGrants tells of allowRead and allowWrite.
func tellGrants(t *teller) {
	writes := false
	for i := range t.paths.all {
		r := &t.paths.all[i]
		list := r.pointer[:strings.LastIndexByte(r.pointer, '/')]
		switch {
		case !r.grants || r.path == "/":
		case t.open():
			t.noEffect(r.pointer)
		case t.paths.reader(r.path) == nil:
			t.say(Safe, r.pointer, "opens nothing: a denial has the same path, "+t.tilde(r.path))
		case r.write && t.paths.writer(r.path) != nil:
			tellWrite(t, r)
			writes = true
		case list == "/filesystem/allowWrite" && t.p.Level == policy.Strict:
			tellRead(t, r, ", and not write it: nothing is written in level strict")
		case list == "/filesystem/allowWrite":
			tellRead(t, r, ", and not write it: a denial has the same path")
		default:
			tellRead(t, r, "")
		}
	}
	if writes {
		t.byDefault(false, Safe, "/filesystem/allowWrite", "cannot change there what runs code outside, where it "+
			"exists at the start: .git, .vscode, .claude, .mcp.json, your shell's start files and their like")
	}
}

func tellRead(t *teller, r *pathRule, more string) {
	v, why := readsOf(t, r)
	t.say(v, r.pointer, "can read "+t.tilde(r.path)+more+why)
}

func tellWrite(t *teller, r *pathRule) {
	v, why := writesOf(t, r)
	seen, what := readsOf(t, r)
	if seen >= v && seen > Note && what != why {
		why = what + why
	}
	t.say(max(v, seen), r.pointer, "can read and change "+t.tilde(r.path)+why)
}

// readsOf is the verdict on the files that a grant opens for reading, and the reason.
func readsOf(t *teller, r *pathRule) (v Verdict, why string) {
	defer func() { t.seen = max(t.seen, v) }()
	home, others := t.homeOf(r.path)
	found := secretsIn(t, r)
	switch secret := secretAt(r.path, home); {
	case slices.ContainsFunc(t.own(home), func(own string) bool { return policy.Within(r.path, own) }):
		return Dangerous, ": what mcp-sandbox keeps of all servers: their homes with log-ins, packages, policies, " +
			"reports, backups"
	case secret != "":
		return Dangerous, ": " + secret
	case t.home != "" && policy.Within(t.home, r.path) && t.paths.reader(t.home) == r:
		v, why = Wide, ", and so your whole home"
		if r.path == t.home {
			why = ": your whole home"
		}
		if len(found) == 0 {
			return v, why + " but what denyRead hides"
		}
		return Dangerous, why + ", with secrets where you have them: " + some(found)
	case len(found) > 0:
		return Dangerous, ", with secrets where you have them: " + some(found)
	case others:
		return Wide, ", which is in the home of another user"
	case home != "":
		return Note, ""
	case slices.Contains(homes[:], r.path):
		return Wide, ": the homes of this machine"
	}
	return atPlace(r.path, false)
}

// secretAt says which secret a path is or lies in; "" for none.
func secretAt(at, home string) string {
	if harmless(at) {
		return ""
	}
	for name, what := range Secrets() {
		if home != "" && len(at) > len(home) && policy.Within(at[len(home)+1:], name) {
			return what
		}
	}
	if SecretName(at) {
		return "a file of that name holds a secret"
	}
	if inSecretFolder(at) {
		return "folders of that name hold keys and passwords"
	}
	return ""
}

// holds reports whether a path is, or holds, the path of that name below a home; "" is no home.
func holds(path, home, name string) bool {
	if home != "" && policy.Below(path, home) {
		return policy.Within(name, path[len(home)+1:])
	}
	return home != "" && policy.Within(home, path)
}

// secretsIn are the places of secrets that a grant opens: in its home, or in yours.
func secretsIn(t *teller, r *pathRule) (all []string) {
	home, _ := t.homeOf(r.path)
	if home == "" {
		home = t.home
	}
	for name := range Secrets() {
		if !holds(r.path, home, name) {
			continue
		}
		if at := home + "/" + name; t.paths.reader(at) == r {
			all = append(all, t.tilde(at))
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, own := range t.own(home) {
		if policy.Below(own, r.path) && t.paths.reader(own) == r {
			all = append(all, t.tilde(own))
		}
	}
	return all
}

// own are this product's folders, and those that it would have below a home; "" is none.
func (t *teller) own(home string) []string {
	all := slices.Clip(t.machine.Own)
	for _, name := range protected.Own() {
		if at := home + "/" + name; home != "" && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

// atPlace is the verdict on a path outside of homes, by the place that the path lies in or holds.
func atPlace(at string, write bool) (v Verdict, why string) {
	v = Note
	for _, p := range &places {
		much := p.read
		if write {
			much = p.write
		}
		part := policy.Below(at, p.path)
		switch {
		case !part && !policy.Within(p.path, at):
			continue
		case write && part && hasPrograms(at[len(p.path):]):
		case part && (much == Wide || much == Dangerous && write):
			much-- // but each program that users start, and each secret, is as much as all of them
		}
		switch {
		case much > v && part:
			v, why = much, ", a part of "+p.holds
		case much > v || why == "" && at == p.path:
			v, why = max(much, v), ": "+p.holds
		}
	}
	return v, why
}
