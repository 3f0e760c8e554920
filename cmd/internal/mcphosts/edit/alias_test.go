package edit

import (
	"strings"
	"testing"
)

// An entry of YAML that cannot be changed alone is left alone with the reason, and keeps none of the others from being
// wrapped.
func TestNotAlone(t *testing.T) {
	for entries, want := range map[string]string{
		"{<<: *b, cmd: x}":     errMerged.Error(),
		"{<<: *b}":             errMerged.Error(),
		"&e {cmd: x}\n  f: *e": errShared.Error(),
		"&e {cmd: x}":          "",
		"{cmd: x, args: &e [y]}\n  f: {args: *e}":    errMove.Error(),
		"{cmd: x, args: *b}":                         errAlias.Error(),
		"{cmd: &c cmd, args: [y], *c : z}":           errAlias.Error(),
		"{cmd: x, envs: {? &a A : b, *a : c}}":       errAlias.Error(),
		"{cmd: x, envs: *b}":                         errAlias.Error(),
		"{cmd: x, envs: {<<: *b, A: b}}":             errMerged.Error(),
		"{cmd: x, envs: &e {A: b}}\n  f: {envs: *e}": "",
		"{}\n  1: {cmd: x}":                          "no command",
		"{cmd: x, args: !!seq [y]}":                  errMove.Error(),
		"\n    ? cmd\n    : x":                       errMove.Error(),
		"\n    cmd: # c\n      x":                    "",
	} {
		file := "base: &b {A: c}\nextensions:\n  e: " + entries + "\n  true: {cmd: x}\n  z: {cmd: x}\n"
		d := open(t, []byte(file), yamlForm)
		all := d.Servers()
		if s := all[0]; !strings.HasPrefix(s.Reason, want) || (s.State == Cannot) != (want != "") {
			t.Errorf("%s: %v %q, want %q", entries, s.State, s.Reason, want)
		}
		if s := all[len(all)-2]; s.Reason != errName.Error() {
			t.Errorf("%s: a name that is no text: %v %q", entries, s.State, s.Reason)
		}
		if s := all[len(all)-1]; s.State != Plain {
			t.Errorf("%s: the neighbour: %v %q", entries, s.State, s.Reason)
		}
		round(t, []byte(file), yamlForm)
	}
}
