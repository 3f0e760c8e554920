package startline

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSpec(t *testing.T) {
	for _, row := range []struct {
		text, want string
		exact      bool
	}{
		{"npm:p", "npm:p", false},
		{"npm:@s/p@1.2.3", "npm:@s/p@1.2.3", true},
		{"npm:@s/p@ v1.2.3 ", "npm:@s/p@1.2.3", true},
		{"npm:p@=1.2.3-rc.1+build.7", "npm:p@1.2.3-rc.1", true},
		{"npm:p@1.2.3-rc.01", "npm:p@1.2.3-rc.01", false},
		{"npm:p@1.2.3-0.x7", "npm:p@1.2.3-0.x7", true},
		{"npm:p@1.2", "npm:p@1.2", false},
		{"npm:p@01.2.3", "npm:p@01.2.3", false},
		{"npm:p@^1.2.3", "npm:p@^1.2.3", false},
		{"npm:p@>=1 <2 || 3.x", "npm:p@>=1 <2 || 3.x", false},
		{"npm:p@~1.2", "npm:p@~1.2", false},
		{"npm:p@*", "npm:p@*", false},
		{"npm:p@latest", "npm:p@latest", false},
		{"npm:p@", "npm:p", false},
		{"npm:p.js", "npm:p.js", false},
		{"npm:" + strings.Repeat("a", 214), "npm:" + strings.Repeat("a", 214), false},
		{"pypi:p", "pypi:p", false},
		{"pypi:My__Package.X", "pypi:my-package-x", false},
		{"pypi:p==1.0", "pypi:p==1.0", true},
		{"pypi:p@1.0rc1", "pypi:p==1.0rc1", true},
		{"pypi:p @1.0", "", false},
		{"pypi:p@latest", "pypi:p@latest", false},
		{"pypi:p==1.*", "pypi:p==1.*", false},
		{"pypi:p >= 1, < 2", "pypi:p>=1,<2", false},
		{"pypi:p~=1.4", "pypi:p~=1.4", false},
		{"go:example.com/m/cmd/p", "go:example.com/m/cmd/p", false},
		{"go:example.com/m@v1.2.3", "go:example.com/m@v1.2.3", true},
		{"go:example.com/m@v0.0.0-20200102030405-0123456789ab", "go:example.com/m@v0.0.0-20200102030405-0123456789ab", true},
		{"go:example.com/m@v3.0.0+incompatible", "go:example.com/m@v3.0.0+incompatible", true},
		{"go:example.com/m@v1", "go:example.com/m@v1", false},
		{"go:example.com/m@1.2.3", "go:example.com/m@1.2.3", false},
		{"go:example.com/m@main", "go:example.com/m@main", false},
		{"go:example.com/m@<v1.2.3", "go:example.com/m@<v1.2.3", false},
	} {
		spec, err := ParseSpec(row.text)
		switch {
		case row.want == "":
			if err == nil {
				t.Errorf("%s is %v", row.text, spec)
			}
		case err != nil:
			t.Errorf("%s: %v", row.text, err)
		case spec.String() != row.want || spec.Exact() != row.exact:
			t.Errorf("%s is %s, exact %v; want %s, %v", row.text, spec, spec.Exact(), row.want, row.exact)
		}
	}
}

// Names that would be a path, a flag, or a second spelling of another package's folder.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"", "p", "npm", "npm:", "gem:p", "npm :p", " npm:p",
		"npm:.", "npm:..", "npm:../x", "npm:./x", "npm:/x", "npm:~/x", `npm:\x`, `npm:a\b`, "npm:-x", "npm:--x", "npm:_x", "npm:.x",
		"npm:a/b", "npm:a/b/c", "npm:a/../b", "npm:@", "npm:@/", "npm:@/x", "npm:@s", "npm:@s/", "npm:@s/.", "npm:@s/..", "npm:@s/.x",
		"npm:@../x", "npm:@./x", "npm:@s/x/y", "npm:@s//x", "npm:@-s/x", "npm:@s/-x", "npm:@@s/x", "npm:@@/x", "npm:Upper", "npm:@S/x", "npm:@s/X",
		"npm:a b", "npm: a", "npm:a ", "npm:a\x00", "npm:a\nb", "npm:a\x7f", "npm:a\x1b[1m", "npm:\u00e4", "npm:a\u202eb", "npm:a\xff", "npm:a%2fb",
		"npm:a'b", "npm:a\"b", "npm:a$b", "npm:a;b", "npm:a~b", "npm:a!b", "npm:a(b)", "npm:a*", "npm:node_modules", "npm:favicon.ico",
		"npm:" + strings.Repeat("a", 215), "npm:@" + strings.Repeat("a", 150) + "/" + strings.Repeat("b", 150),
		"npm:x.tgz", "npm:x.tar.gz", "npm:X.TAR", "npm:npm:x", "npm:file:x", "npm:https://h/x", "npm:git+ssh://h/x", "npm:git@h:a/b", "npm:github:a/b",
		"npm:x@npm:y@1", "npm:x@NPM:y", "npm:x@file:y", "npm:x@FILE:y", "npm:x@./y", "npm:x@../y", "npm:x@/y", "npm:x@~/y", "npm:x@y.tgz", "npm:x@a/b",
		"npm:x@https://h/y", "npm:x@git+https://h/y", "npm:x@github:a/b", "npm:x@workspace:*", "npm:x@1@2", "npm:x@-1", "npm:x@1\n2", "npm:x@1;2", "npm:x@$(y)",
		"npm:x@" + strings.Repeat("1", 300),
		"jsr:x", "jsr:@s", "jsr:@s/x",
		"pypi:", "pypi:.", "pypi:..", "pypi:../x", "pypi:-x", "pypi:x-", "pypi:x_", "pypi:.x", "pypi:a/b", "pypi:a b", "pypi:a\nb", "pypi:\u00e4", "pypi:a\u212a",
		"pypi:x[y]", "pypi:x @ https://h/y", "pypi:x@https://h/y", "pypi:x@file:y", "pypi:x@", "pypi:x==", "pypi:x=1", "pypi:x===1", "pypi:x==1@2", "pypi:x==1;y",
		"pypi:x>1.*", "pypi:x==1,,", "pypi:x.whl", "pypi:x.tar.gz", "pypi:python", "pypi:" + strings.Repeat("a", 300),
		"go:", "go:.", "go:..", "go:x", "go:./x", "go:../x", "go:/x", "go:fmt", "go:example.com/", "go:example.com//x", "go:example.com/../x", "go:example.com/.x/..",
		"go:example.com/x.", "go:-example.com/x", "go:Example.com/x", "go:example.com/a b", "go:example.com/x\n", "go:example.com:80/x", "go:https://example.com/x",
		"go:example.com/x@", "go:example.com/x@v1@v2", "go:example.com/x@../y", "go:example.com/x@-v1", "go:example.com/x@v1 ", "go:example.com/\u00e4", "go:example.com/con",
		"go:example.com/" + strings.Repeat("a", 300)} {
		spec, err := ParseSpec(name)
		var wrong *SpecError
		if !errors.As(err, &wrong) || spec != (Spec{}) {
			t.Errorf("%q is %v, %v", name, spec, err)
		} else if len(err.Error()) > 250 || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q: the message is %q", name, err)
		}
	}
}

// What npm takes for an older name or a tag, and a person would not expect: each is read, or refused in words.
func TestErrorsAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		"npm:JSONStream": `"npm:JSONStream": "JSONStream" is no name of npm: capital letters`,
		"npm:a/b":        `"npm:a/b": a repository at GitHub is no name in a registry`,
		"mcp-server":     `"mcp-server": a package is named npm:NAME, pypi:NAME or go:PACKAGE`,
		"jsr:x":          `"jsr:x": packages of jsr are not installed by mcp-sandbox`,
	} {
		if _, err := ParseSpec(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
