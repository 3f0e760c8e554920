package install

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// token is what a registry of these tests wants.
const token = "t0ken"

// A log-in leaves the user's configuration on request alone, and the refusal without one says so.
func TestLogins(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	at := strings.TrimPrefix(h.registry.URL, "http:")
	h.registry.Behave(registrytest.Behaviour{Token: token})
	if !testing.Short() { // job TestSentences has the sentences
		h.refused(t, "npx -y good", "write one into your npmrc", "--registry-auth", "(401)")
	}
	for _, line := range first(1, at+":_authToken=${TOKEN}", at+":_authToken="+token) {
		h.configure(t, "registry="+h.registry.URL+"\n"+line+"\n")
		h.options.Env = append(h.options.Env, "TOKEN="+token)
		h.options.RegistryAuth = false
		for _, status := range first(1, http.StatusForbidden, http.StatusUnauthorized) {
			h.registry.Behave(registrytest.Behaviour{Token: token, Denial: status})
			h.refused(t, "npx -y good", "--registry-auth takes those of your configuration")
		}
		h.registry.Behave(registrytest.Behaviour{Token: token, Denial: http.StatusNotFound})
		h.refused(t, "npx -y @deps/dep", "@deps%2fdep (404) may be hidden", "--registry-auth")
		if !testing.Short() {
			h.refused(t, "npx -y good", "404 Not Found - GET "+h.registry.URL+"good")
		}
		for _, asked := range h.registry.Asked() {
			if asked.Authorization != "" {
				t.Errorf("%+v", asked)
			}
		}
	}
	h.options.RegistryAuth = true
	h.registry.Behave(registrytest.Behaviour{Token: token})
	r := h.must(t, "npx -y good")
	filepath.Walk(r.Package.Path, func(at string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if b, err := os.ReadFile(at); err != nil || strings.Contains(string(b), token) {
			t.Errorf("%s has the token, or %v", at, err)
		}
		return nil
	})
}

// A token of another registry goes nowhere, and neither does that of a project's file.
func TestLoginsOfOthers(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	h.configure(t, "registry="+h.registry.URL+"\n//elsewhere.example/:_authToken="+token+"\n")
	h.registry.Behave(registrytest.Behaviour{Token: token})
	h.options.RegistryAuth, h.options.RegistryFromProject, h.options.Dir = true, true, t.TempDir()
	project := strings.TrimPrefix(h.registry.URL, "http:") + ":_authToken=" + token + "\n"
	if err := os.WriteFile(h.options.Dir+"/.npmrc", []byte(project), 0o644); err != nil {
		t.Fatal(err)
	}
	h.refused(t, "npx -y good", "(401)")
	// The user's own for that host goes there without TLS by the user's word alone.
	h.configure(t, "registry="+h.registry.URL+"\n"+project)
	if err := os.WriteFile(h.options.Dir+"/.npmrc", []byte("registry="+h.registry.URL+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.refused(t, "npx -y good", "(401)")
	h.options.RegistryFromProject = false
	h.must(t, "npx -y good")
}

// An age that the user's npmrc demands is not dropped.
func TestAgeOfConfiguration(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	h.configure(t, "registry="+h.registry.URL+"\nbefore=2020-01-02T03:04:05Z\n")
	h.refused(t, "npx -y good", "npm's configuration has before 2020", "--min-age")
}

// A project's registry is asked on request alone, and told of without.
func TestProjectRegistry(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	theirs := registrytest.New(t, good()...)
	project := t.TempDir()
	h.options.Dir = filepath.Join(project, "below")
	if err := os.Mkdir(h.options.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"package.json": "{}", ".npmrc": "registry = " + theirs.URL + "\n"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	h.options.Told = func(line string) { told = append(told, line) }
	if failing := *h; testing.Short() { // refused where the line is known already
		failing.options.RegistryAuth, failing.options.stranger = true, true
		failing.options.Env = append(slices.Clip(failing.options.Env), "no_proxy=*")
		failing.refused(t, "npx -y theirs", "--registry-auth with no_proxy")
	} else {
		h.refused(t, "npx -y theirs", "404 Not Found - GET "+h.registry.URL+"theirs")
	}
	if len(told) != 1 || !strings.Contains(told[0], project+"/.npmrc names the registry ") {
		t.Errorf("where the install fails: %q", told)
	}
	r := h.must(t, "npx -y good")
	if n := len(theirs.Asked()); n > 0 || r.Package.Registry != h.registry.URL || len(r.Lines) != 2 ||
		!strings.Contains(r.Lines[0], project+"/.npmrc names the registry "+theirs.URL) || !strings.Contains(r.Lines[0], "--registry-from-project") {
		t.Errorf("%d, %s, %q", n, r.Package.Registry, r.Lines)
	}
	h.options.RegistryFromProject = true
	asked := len(h.registry.Asked())
	theirs.Add(runnable(pack{Name: "theirs"}))
	if r := h.must(t, "npx -y theirs"); r.Package.Registry != theirs.URL || len(h.registry.Asked()) != asked {
		t.Errorf("%s", r.Package.Registry)
	}
}

// An archive that a registry redirects to another host is not fetched.
func TestRedirected(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	theirs := registrytest.New(t, good()...)
	for _, to := range first(1, theirs.URL+"good/-/", "http://elsewhere.example/") {
		h.registry.Behave(registrytest.Behaviour{Redirect: to})
		at := strings.TrimSuffix(strings.TrimPrefix(to, "http://"), "/")
		host, port, err := net.SplitHostPort(strings.Split(at, "/")[0])
		if err != nil {
			host = at
		}
		if port != "" {
			host = "localhost:" + port
		}
		h.refused(t, "npx -y good", host+" is none of your registries and was refused")
	}
	if n := len(theirs.Asked()); n > 0 {
		t.Errorf("the other host had %d requests", n)
	}
	h.registry.Behave(registrytest.Behaviour{Redirect: h.registry.URL + "mirror/-/"})
	h.registry.Add(pack{Name: "mirror", Version: "1.0.0"})
	h.refused(t, "npx -y good", "has not the hash") // the redirect itself was followed
}

// The file for all users counts, also where the user's prefix leads to one in the home.
func TestGlobalConfiguration(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	put(t, filepath.Join(h.path, ".npm-global/etc/npmrc"), "registry="+h.registry.URL+"\n")
	for _, line := range first(1, "prefix = ${HOME}/.npm-global", "prefix=~/.npm-global", "globalconfig="+h.path+"/.npm-global/etc/npmrc") {
		h.configure(t, line+"\n")
		h.options.Update = true
		if r, err := h.prepare(t, "npx -y good"); err != nil || r.Package.Registry != h.registry.URL {
			t.Errorf("%s: %+v, %v", line, r, err)
		}
	}
}

// Scopes have registries of their own.
func TestScopes(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()[0])
	theirs := registrytest.New(t, good()[1:]...)
	h.refused(t, "npx -y good", "404 Not Found - GET "+h.registry.URL+"@deps%2fdep")
	h.configure(t, "registry="+h.registry.URL+"\n@deps:registry="+theirs.URL+"\n")
	h.must(t, "npx -y good")
	for _, asked := range theirs.Asked() {
		if !strings.HasPrefix(asked.Path, "/@deps") {
			t.Errorf("%+v", asked)
		}
	}
}

// A registry of the private network is reached by its name and address, and no other private address is.
func TestPrivateRegistry(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t)
	serve := func(at string) *registrytest.Registry {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		return registrytest.Serve(t, l, good()...)
	}
	private, other := serve("10.99.0.7:4873"), serve("10.99.0.8:4873")
	private.URL = "http://registry.corp.example:4873/"
	private.Add(runnable(pack{Name: "far", Archive: other.URL + "good/-/1.0.0.tgz"}))
	h.configure(t, "registry="+private.URL+"\n")
	h.refused(t, "npx -y far", "10.99.0.8")
	if n := len(other.Asked()); n > 0 {
		t.Errorf("the other private address was asked: %d", n)
	}
	h.must(t, "npx -y good")
	for _, c := range first(1, [][]string{{"http://loop.example:4873/", "loop.example"}, {"http://127.0.0.2:4873/", "127.0.0.2", "127.0.0.1 and ::1 alone"},
		{"ftp://elsewhere.example/", "registry", "elsewhere.example"}}...) {
		h.configure(t, "registry="+c[0]+"\n")
		h.refused(t, "npx -y other", c[1:]...)
	}
}
