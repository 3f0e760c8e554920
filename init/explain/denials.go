package explain

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// tellDenials tells of denyRead and denyWrite.
func tellDenials(t *teller) {
	for i := range t.paths.all {
		r := &t.paths.all[i]
		if r.grants {
			continue
		}
		name := t.tilde(r.path)
		text := "cannot read " + name
		if r.write {
			text = "cannot change " + name
		}
		switch {
		case t.open():
			t.noEffect(r.pointer)
		case t.denialsMayFail():
			t.say(Safe, r.pointer, text+" in confinement full; by minConfinement it may start with less, where "+
				"denials may not hold, so the verdicts here count none")
		case !takesAway(t, r):
			t.say(Safe, r.pointer, text+", as without this denial: no grant holds it")
		case r.maybe && r.write:
			t.say(Safe, r.pointer, text+" if that is there at the start, and can make it otherwise")
		case r.maybe:
			t.say(Safe, r.pointer, text+" if that is there at the start; what comes there later can be read")
		default:
			t.say(Safe, r.pointer, text)
		}
	}
}

// takesAway reports whether a grant, or a folder that every server sees, holds the path of a denial, or lies in it.
func takesAway(t *teller, r *pathRule) bool {
	if !r.write {
		for folder := range strings.FieldsSeq("/bin /etc /gnu /lib /lib32 /lib64 /nix /run /sbin /usr") {
			if policy.Within(r.path, folder) {
				return true
			}
		}
	}
	by := t.paths.read
	if r.write {
		by = t.paths.write
	}
	for at := range policy.Upwards(r.path) {
		if by[at].grant != nil {
			return true
		}
	}
	return false
}
