package gitconfig

import (
	"strings"
	"testing"
)

func TestGitSettings(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"[core]\n\tbare = false\n\tHooksPath = .husky/_\n", "core.bare=false|core.hookspath=.husky/_"},
		{"\ufeff[A \"b]\\\"\"] k=1 # x\n", "a.k=1"},
		{"[core] hooksPath = \"a b\"c ; d\n[include \"x\"] path=y\n", "core.hookspath=a bc|.path=y"},
		{"[alias]\n z = one\\\n   two\n y\n", "alias.z=one   two|alias.y="},
		{"[a.b]\nk = \"x # y\" \\\"\\t\\\\  \n", "a.k=x # y \"\t\\"},
		{"[a]\r\nk = v\r\nl = w\\\r\nx\r\n", "a.k=v|a.l=wx"},
		{"[a\nk = v\n[b]k", ".k=v|b.k="},
		{"[a]k=\"open", "a.k=open"},
		{"k=v", ".k=v"},
	} {
		var got []string
		Parse(c.text, func(section, name, value string) bool {
			got = append(got, section+"."+name+"="+value)
			return true
		})
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q: %q, want %q", c.text, s, c.want)
		}
	}
}

// Hooks and what is included are followed, and no other variable.
func TestGitNames(t *testing.T) {
	all := map[Kind]string{
		Config:  "include.path includeif.path",
		Hooks:   "core.hookspath",
		Tree:    "core.worktree",
		Nothing: "core.bare core.fsmonitor core.attributesfile init.templatedir filter.clean alias.x user.hookspath include.other includeif.hookspath",
	}
	for want, names := range all {
		for _, name := range strings.Fields(names) {
			section, key, _ := strings.Cut(name, ".")
			if got := Names(section, key); got != want {
				t.Errorf("%s: %d, want %d", name, got, want)
			}
		}
	}
}

func FuzzGitSettings(f *testing.F) {
	f.Add("[core]\nhooksPath = \"a\\\n b\" # c\n[include]path=x")
	f.Add("[a \"]\"]\n\\")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		Parse(text, func(section, name, value string) bool {
			if n++; n > len(text) || len(section)+len(name)+len(value) > 4*len(text)+4 {
				t.Fatalf("%q: more than there is", text)
			}
			return true
		})
	})
}

func TestGitFile(t *testing.T) {
	for text, want := range map[string]string{
		"gitdir: /a/b\n": "/a/b", "gitdir: ../x\r\n": "../x", "gitdir: ": "", "gitdir: \n": "", "gitdir: /a\n/b\n": "", "gitdir: /a\x00b": "", "x": "", "": "",
	} {
		if got, ok := GitFile([]byte(text)); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}
