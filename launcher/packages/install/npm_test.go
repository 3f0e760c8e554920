package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

const sum = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

// An entry of the lock file has to have an archive of a registry with a SHA-512, or lie in one.
func TestLockEntries(t *testing.T) {
	s := &settings{registries: []registry{{"", "https://registry.example/"}}}
	at := "https://registry.example/a/-/a-1.tgz"
	whole := npmLocked{Version: "1.0.0", Resolved: at, Integrity: "sha512-" + sum}
	for name, c := range map[string]struct {
		all  map[string]npmLocked
		want string
	}{
		"whole":             {map[string]npmLocked{"node_modules/a": whole}, ""},
		"several hashes":    {map[string]npmLocked{"node_modules/a": {Resolved: at, Integrity: "sha1-x sha512-" + sum}}, ""},
		"bundled":           {map[string]npmLocked{"node_modules/b": whole, "node_modules/b/node_modules/a": {InBundle: true}}, ""},
		"bundled twice":     {map[string]npmLocked{"node_modules/b": whole, "node_modules/b/node_modules/c": {InBundle: true}, "node_modules/b/node_modules/c/node_modules/a": {InBundle: true}}, ""},
		"bundled in a link": {map[string]npmLocked{"node_modules/b": {Link: true}, "node_modules/b/node_modules/a": {InBundle: true}}, "only what a registry serves"},
		"bundled in none":   {map[string]npmLocked{"node_modules/a": {InBundle: true}}, "names none"},
		"short hash":        {map[string]npmLocked{"node_modules/a": {Resolved: at, Integrity: "sha512-AAAA"}}, "sha512 is needed"},
		"a link":            {map[string]npmLocked{"node_modules/a": {Resolved: at, Integrity: "sha512-" + sum, Link: true}}, "only what a registry serves"},
		"a workspace":       {map[string]npmLocked{"packages/a": {Version: "1.0.0"}}, "folder"},
		"of nowhere":        {map[string]npmLocked{"node_modules/a": {Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of another host":   {map[string]npmLocked{"node_modules/a": {Resolved: "https://elsewhere.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of another port":   {map[string]npmLocked{"node_modules/a": {Resolved: "https://registry.example:8443/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"without TLS":       {map[string]npmLocked{"node_modules/a": {Resolved: "http://registry.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"of a log-in":       {map[string]npmLocked{"node_modules/a": {Resolved: "https://u:p@registry.example/a/-/a-1.tgz", Integrity: "sha512-" + sum}}, "only what a registry serves"},
		"leads out":         {map[string]npmLocked{"node_modules/../a": whole}, "folder"},
	} {
		folder := ""
		for f := range c.all {
			if npmNameOf(f) == "a" || strings.HasSuffix(f, "/a") {
				folder = f
			}
		}
		err := npmCheck(c.all, folder, s)
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
		j := &job{start: &startline.Start{Specs: []startline.Spec{bad}}}
		if _, err := npmInstall(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no name of a package") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, good := range []startline.Spec{{Name: "x"}, {Name: "@x/y.z", Range: "^1.2 || >=3 <4"}, {Name: "X_y", Range: "latest"}, {Name: "x", Range: "1.0.0-rc.1+b"}} {
		if !npmName().MatchString(good.Name) || !npmRange().MatchString(good.Range) {
			t.Errorf("%+v", good)
		}
	}
}

// What npm said last names what npm waits for.
func TestAwaited(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"", ""},
		{"npm silly fetch manifest @x/y@^1\n", "@x/y"},
		{"npm sill fetch manifest x@*\nnpm http fetch GET 200 https://r.example/x 12ms (cache miss)\n", ""},
		{"npm silly fetch manifest x@*\nnpm http fetch GET 200 https://r.example/x 1ms\nnpm silly fetch manifest @x/y@1\n" +
			"npm silly fetch manifest z@1\nnpm http fetch GET 200 https://r.example/z 1ms\n", "@x/y"},
		{"npm silly fetch manifest @x/y@*\nnpm http fetch GET 200 https://r.example/npm/@x%2fy 1ms\n", ""},
		{"npm silly tarball no local data for @x/y@https://r.example/@x/y/-/y-1.tgz. Extracting by manifest.\n", "the archive of @x/y"},
		{"npm silly tarball no local data for x@https://r.example/x/-/x-1.tgz. Extracting by manifest.\n" +
			"npm http fetch GET 200 https://r.example/x/-/x-1.tgz 7ms (cache miss)\n", ""},
	} {
		if got := npmAwaited(c.words); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

// A log-in counts for the registry whose URL begins with its place, and a variable is the user's.
func TestLoginLines(t *testing.T) {
	s := &settings{registries: []registry{{"", "https://registry.example/npm/"}}}
	file := filepath.Join(t.TempDir(), "npmrc")
	write(t, file, `; a comment
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
`)
	q := &question{env: []string{"TWO=two", "npm_config_//registry.example/npm/:_auth=no"}, auth: true}
	if err := npmLogins(s, q, "", file, file+"-missing"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range s.logins {
		got = append(got, l.key+"="+l.value)
	}
	want := `//registry.example/npm/:_authToken=one //registry.example/:_authToken=two //registry.example/npm/:_password="a;b"`
	if strings.Join(got, " ") != want || !s.login {
		t.Errorf("%s", strings.Join(got, " "))
	}
	without := &settings{registries: s.registries}
	if err := npmLogins(without, &question{}, file); err != nil || !without.login || len(without.logins) > 0 {
		t.Errorf("%+v, %v", without, err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a registry says cannot move a terminal's cursor.
func TestPlain(t *testing.T) {
	if got := plain("a\x1b[2Jb\nä\u202e"); got != `a\x1b[2Jb\nä\u202e` {
		t.Errorf("%q", got)
	}
}

// Where --min-age leaves no version at all, npm says only that there is none.
func TestTooYoungForNpm(t *testing.T) {
	const words = "npm error code ENOVERSIONS\nnpm error No versions available for good\n"
	j := &job{settings: &settings{}, before: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	want := "No versions available for good, which --min-age demands to be published before 2026-01-02 03:04:05"
	if got := npmExplain(words, j); got != want {
		t.Error(got)
	}
}

// What npm says of a registry's answer names the package or the URL, and a log-in that is wanted the flag.
func TestNpmWords(t *testing.T) {
	j := &job{settings: &settings{registries: []registry{{"", "http://127.0.0.1:4873/"}}}}
	for _, row := range []struct{ name, words, want string }{
		{"a code with an underscore", `npm silly fetch manifest html@*
npm http fetch GET 200 http://127.0.0.1:4873/html 110ms (cache miss)
npm error code FETCH_ERROR
npm error errno FETCH_ERROR
npm error invalid json response body at http://127.0.0.1:4873/html reason: Unexpected token '<'
`, "invalid json response body at http://127.0.0.1:4873/html reason: Unexpected token '<' (FETCH_ERROR)"},
		{"an archive that cannot be unpacked", `npm warn tarball tarball data for x@http://127.0.0.1:4873/x/-/x-1.tgz (null) seems to be corrupted.
npm error code Z_DATA_ERROR
npm error errno Z_DATA_ERROR
npm error zlib: incorrect data check
`, "the archive of x cannot be unpacked: it was changed or cut off on its way"},
		{"a log-in of which the registry names the way", `npm silly fetch manifest @s/c401@*
npm http fetch GET 401 http://127.0.0.1:4873/@s%2fc401 205ms (cache skip)
npm error code E401
npm error Unable to authenticate, your authentication token seems to be invalid.
npm error To correct this please try logging in again with:
npm error   npm login
`, "127.0.0.1:4873 does not give @s/c401 to somebody without a log-in (401): write one into your npmrc, and type " +
			"--registry-auth"},
		{"a connection that ends amid an archive", `npm silly fetch manifest half@*
npm http fetch GET 200 http://127.0.0.1:4873/half 254ms (cache miss)
npm silly tarball no local data for half@http://127.0.0.1:4873/half/-/1.0.0.tgz. Extracting by manifest.
npm error code ECONNRESET
npm error network aborted
npm error network This is a problem related to network connectivity.
`, "the archive of half: aborted (ECONNRESET)"},
		{"a connection that ends amid an answer with a URL", `npm error code ECONNRESET
npm error network Invalid response body while trying to fetch http://127.0.0.1:4873/x: aborted
`, "Invalid response body while trying to fetch http://127.0.0.1:4873/x: aborted (ECONNRESET)"},
		{"a platform", "npm error code EBADPLATFORM\nnpm error notsup Unsupported platform for x@1.0.0: wanted {}\n",
			"Unsupported platform for x@1.0.0: wanted {} (EBADPLATFORM)"},
		{"a version", "npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for x@9.\n",
			"No matching version found for x@9 (ETARGET)"},
	} {
		if got := npmExplain(row.words, j); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
