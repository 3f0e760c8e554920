package npm

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

const sum = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

// An entry of the lock file has to have an archive of a registry with a SHA-512, or lie in one.
func TestLockEntries(t *testing.T) {
	s := &job.Settings{Registries: []job.Registry{{URL: "https://registry.example/"}}}
	at := "https://registry.example/a/-/a-1.tgz"
	whole := locked{Version: "1.0.0", Resolved: at, Integrity: "sha512-" + sum}
	for name, c := range map[string]struct {
		all  map[string]locked
		want string
	}{
		"whole":                         {map[string]locked{"node_modules/a": whole}, ""},
		"several hashes":                {map[string]locked{"node_modules/a": {Resolved: at, Integrity: "sha1-x sha512-" + sum}}, ""},
		"bundled":                       {map[string]locked{"node_modules/b": whole, "node_modules/b/node_modules/a": {InBundle: true}}, ""},
		"bundled twice":                 {map[string]locked{"node_modules/b": whole, "node_modules/b/node_modules/c": {InBundle: true}, "node_modules/b/node_modules/c/node_modules/a": {InBundle: true}}, ""},
		"bundled in a link":             {map[string]locked{"node_modules/b": {Link: true}, "node_modules/b/node_modules/a": {InBundle: true}}, "only what a registry serves"},
		"bundled in none":               {map[string]locked{"node_modules/a": {InBundle: true}}, "names none"},
		"in a bundle, but fetched":      {map[string]locked{"node_modules/b": whole, "node_modules/b/node_modules/a": {InBundle: true, Resolved: at}}, "sha512 is needed"},
		"bundled by its shrinkwrap":     {map[string]locked{"node_modules/b": {Resolved: at, Integrity: "sha512-" + sum, HasShrinkwrap: true}, "node_modules/b/node_modules/a": {InBundle: true}}, "names no archive"},
		"bundled by a shrinkwrap above": {map[string]locked{"node_modules/c": {Resolved: at, Integrity: "sha512-" + sum, HasShrinkwrap: true}, "node_modules/c/node_modules/b": whole, "node_modules/c/node_modules/b/node_modules/a": {InBundle: true}}, "names no archive"},
		"short hash":                    {map[string]locked{"node_modules/a": {Resolved: at, Integrity: "sha512-AAAA"}}, "sha512 is needed"},
		"a link":                        {map[string]locked{"node_modules/a": {Resolved: at, Integrity: "sha512-" + sum, Link: true}}, "only what a registry serves"},
		"a workspace":                   {map[string]locked{"packages/a": {Version: "1.0.0"}}, "folder"},
		"of nowhere":                    {map[string]locked{"node_modules/a": {Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of another host":               {map[string]locked{"node_modules/a": {Resolved: "https://elsewhere.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of another port":               {map[string]locked{"node_modules/a": {Resolved: "https://registry.example:8443/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"without TLS":                   {map[string]locked{"node_modules/a": {Resolved: "http://registry.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of a log-in":                   {map[string]locked{"node_modules/a": {Resolved: "https://u:p@registry.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"leads out":                     {map[string]locked{"node_modules/../a": whole}, "folder"},
	} {
		folder := ""
		for f := range c.all {
			if nameOf(f) == "a" || strings.HasSuffix(f, "/a") {
				folder = f
			}
		}
		err := check(c.all, folder, s)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// No word of npm's command line is a flag, a path, a URL or an alias.
func TestNames(t *testing.T) {
	for _, bad := range []startline.Spec{{Name: "../x"}, {Name: "-g"}, {Name: "--prefix=/"}, {Name: "/etc"}, {Name: "@/x"}, {Name: "@x/../y"},
		{Name: "x/y"}, {Name: ".x"}, {Name: "x y"}, {Name: "x", Range: "npm:y"}, {Name: "x", Range: "file:y"}, {Name: "x", Range: "../y"},
		{Name: "x", Range: "1\n2"}, {Name: "x@1"}, {Name: ""}, {Name: "https://x"}} {
		j := &job.Job{Start: &startline.Start{Specs: []startline.Spec{bad}}}
		if _, err := install(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no name of a package") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, good := range []startline.Spec{{Name: "x"}, {Name: "@x/y.z", Range: "^1.2 || >=3 <4"}, {Name: "X_y", Range: "latest"}, {Name: "x", Range: "1.0.0-rc.1+b"}} {
		if !validName().MatchString(good.Name) || !validRange().MatchString(good.Range) {
			t.Errorf("%+v", good)
		}
	}
}

// A log-in counts for the registry whose URL begins with its place, and a variable is the user's.
func TestLoginLines(t *testing.T) {
	s := &job.Settings{Registries: []job.Registry{{URL: "https://registry.example/npm/"}}}
	folder := t.TempDir()
	file := filepath.Join(folder, "npmrc")
	registrytest.Put(t, folder, map[string]string{"npmrc": `; a comment
//registry.example/npm/:_authToken=one
 //registry.example/:_authToken = ${TWO}
//registry.example/npm/:_password="a;b"
//registry.example/npm/:email=ann@example.com
//registry.example/other/:_authToken=no
//registry.example:8443/npm/:_authToken=no
//evil.example/:_authToken=no
//:_authToken=no
//registry.example/npm/:_authToken=${NOT_SET}
_authToken=no
`})
	q := &job.Question{Env: []string{"TWO=two", "npm_config_//registry.example/npm/:_auth=no"}, Auth: true}
	if err := readLogins(s, q, "", file, file+"-missing"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range s.Logins {
		got = append(got, l.Key+"="+l.Value)
	}
	want := `//registry.example/npm/:_authToken=one //registry.example/:_authToken=two //registry.example/npm/:_password="a;b"`
	if strings.Join(got, " ") != want || !s.Login {
		t.Errorf("%s", strings.Join(got, " "))
	}
	without := &job.Settings{Registries: s.Registries}
	if err := readLogins(without, &job.Question{}, file); err != nil || !without.Login || len(without.Logins) > 0 {
		t.Errorf("%+v, %v", without, err)
	}
}

// A log-in has no scheme: a project does not have npm send the one of a registry with TLS to the same host without.
func TestLoginsInClear(t *testing.T) {
	const https, http = "https://h.example/npm/", "http://h.example/npm/"
	for _, c := range []struct {
		own, projects, where, want string
	}{
		{https, http, "//h.example/npm/", http},
		{https, http, "//h.example/", http},
		{https, https, "//h.example/npm/", ""},
		{http, http, "//h.example/npm/", ""},
		{https, "http://h.example:80/npm/", "//h.example/npm/", "http://h.example:80/npm/"},
		{https, "http://h.example/x/%2e%2e/npm/", "//h.example/npm/", "http://h.example/x/%2e%2e/npm/"},
		{https, "http://H.example/", "//h.example/npm/", "http://H.example/"},
		{https, "http://other.example/", "//h.example/npm/", ""},
	} {
		s := &job.Settings{Registries: []job.Registry{{URL: c.own}, {Scope: "@x", URL: c.projects}}}
		q := &job.Question{Project: map[string]string{"@x:registry": c.projects}}
		if got := inClear(s, c.where, q); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
