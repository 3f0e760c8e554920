package explain

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// writesOf is the verdict on the files that a grant for writing opens, and the reason.
func writesOf(t *teller, r *pathRule) (v Verdict, why string) {
	home, _ := t.homeOf(r.path)
	rest := strings.TrimPrefix(strings.TrimPrefix(r.path, home), "/")
	switch {
	case protected.InRepository(r.path):
		return Dangerous, ": hooks and configuration of a repository run code outside of the sandbox"
	case protected.StartsCode(r.path), home != "" && rest != "" && protected.IsAtHome(rest):
		return Dangerous, ": this runs code outside of the sandbox, so a launch refuses to grant it"
	case home != "" && rest != "" && startsAt(rest):
		return Dangerous, ": your shell finds programs there by their name"
	}
	files, programs := startsIn(t, r)
	const login = "; can write what your shell executes at login: start files that do not exist yet, as "
	switch {
	case len(files) > 0 && len(programs) > 0:
		return Dangerous, login + some(files) + ", and programs that you start by name, in " + some(programs)
	case len(files) > 0:
		return Dangerous, login + some(files)
	case len(programs) > 0:
		return Dangerous, "; can write programs that your shell finds by name, in " + some(programs)
	}
	if home == "" {
		return atPlace(r.path, true)
	}
	for name := range protected.AtHome() {
		if holds(r.path, home, name) && t.paths.writer(home+"/"+name) != nil {
			return Wide, "; can write settings of your other programs that do not exist yet, as " +
				t.tilde(home+"/"+name)
		}
	}
	return Note, ""
}

// startsAt reports whether a path below a home is one in which a shell finds programs, or lies in one.
func startsAt(rest string) bool {
	for name, kind := range starts() {
		if kind == "name" && policy.Within(rest, name) {
			return true
		}
	}
	return false
}

// startsIn are the paths in a grant which start by themselves, or hold programs, and which the server may write.
func startsIn(t *teller, r *pathRule) (files, programs []string) {
	home, _ := t.homeOf(r.path)
	if home == "" {
		home = t.home
	}
	for name, kind := range starts() {
		if !holds(r.path, home, name) {
			continue
		}
		at := home + "/" + name
		switch {
		case t.paths.writer(at) == nil:
		case kind == "name":
			programs = append(programs, t.tilde(at))
		default:
			files = append(files, t.tilde(at))
		}
	}
	return files, programs
}
