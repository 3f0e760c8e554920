package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// What stands in a URL comes to the log-in as it was typed.
func TestLoginsOfURLs(t *testing.T) {
	_, user, err := newRegistry("", "https://u%40x:p%2Fa:b@index.example/simple")
	if err != nil {
		t.Fatal(err)
	}
	s := &settings{logins: []login{{key: "https://index.example/simple/", value: user.String()}}}
	if got := s.withLogin("https://index.example/simple/"); got != "https://u%40x:p%2Fa%3Ab@index.example/simple/" {
		t.Error(got)
	}
	if got := s.withLogin("https://other.example/"); got != "https://other.example/" {
		t.Error(got)
	}
	if p, _ := s.logins[0].user().Password(); s.logins[0].user().Username() != "u@x" || p != "p/a:b" {
		t.Error(s.logins[0].user())
	}
}

func TestPipOptions(t *testing.T) {
	a := &pipAnswer{Config: map[string]string{"global.x": "g", "install.x": "i", ":env:.x": " ", "global.y": "g", ":env:.y": "e"}}
	if a.option("x") != "i" || a.option("y") != "e" || a.option("z") != "" {
		t.Errorf("%q, %q, %q", a.option("x"), a.option("y"), a.option("z"))
	}
}

// Names of the index alone get onto pip's command line.
func TestPipWords(t *testing.T) {
	for _, s := range []startline.Spec{{Name: "-r"}, {Name: "x", Range: " --index-url=y"}, {Name: "./x"}, {Name: "x", Range: "@ file:///"}, {Name: "x/y"}, {Name: ""}} {
		j := &job{start: &startline.Start{Specs: []startline.Spec{s}}, settings: &settings{python: &pipAnswer{}}}
		if _, err := pipInstall(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no name of a package") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []startline.Spec{{Name: "-x"}, {Name: "example.com/x", Range: "v1 -x"}, {Name: "../x"}, {Name: "example.com/x", Range: "-x"}} {
		j := &job{start: &startline.Start{Specs: []startline.Spec{s}}, settings: &settings{golang: &goAnswer{}}}
		if _, err := goInstall(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no path of a package") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// A package whose interpreter was removed from the machine says so.
func TestPythonIsGone(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"bin", "lib/python3.99/site-packages/tool-1.0.dist-info"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{"bin/tool": pipFirst, "lib/python3.99/site-packages/tool-1.0.dist-info/RECORD": "../../../bin/tool,,\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start, err := startline.Parse([]string{"pipx", "run", "tool"})
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, pipInterpreter)
	if err := os.Symlink("/no/python3.99", at); err != nil {
		t.Fatal(err)
	}
	if _, err := pipEntry(folder, start); err == nil || !strings.Contains(err.Error(), "is gone: /no/python3.99: `mcp-sandbox store update tool`") {
		t.Error(err)
	}
	os.Remove(at)
	if err := os.Symlink("/bin/sh", at); err != nil {
		t.Fatal(err)
	}
	if e, err := pipEntry(folder, start); err != nil || len(e.command) != 2 || e.command[0] != at {
		t.Errorf("%+v, %v", e, err)
	}
}

// Whatever the user's configuration says, nothing that a module brings is run in an install, and no other Go.
func TestGoVariables(t *testing.T) {
	j := &job{settings: &settings{golang: &goAnswer{GONOPROXY: "example.com/dep", GOSUMDB: "sums.example", GONOSUMDB: "example.com/x"}}, stage: "/s", private: "/s/p"}
	for name, want := range map[string]string{"GOVCS": "*:off", "GOENV": "off", "GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0", "GOSUMDB": "sums.example",
		"GONOSUMDB": "example.com/x", "GONOPROXY": "example.com/dep", "GOINSECURE": "", "GOBIN": "/s/bin", "GOCACHE": "/s/p/cache"} {
		if got := goVariables(j)[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if j.scripts = true; goVariables(j)["CGO_ENABLED"] != "1" || goVariables(j)["GOVCS"] != "*:off" {
		t.Errorf("with scripts: %v", goVariables(j))
	}
}

func TestGoProxies(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example,direct":                     "https://a.example/",
		"https://a.example|https://b.example/x,direct": "https://a.example/|https://b.example/x/",
		"direct,https://a.example":                     "https://a.example/",
		"https://a.example,off,https://b.example":      "https://a.example/",
		"https://u:p@a.example":                        "https://u:p@a.example/",
	} {
		s := &settings{golang: &goAnswer{GOPROXY: text}}
		err := goProxies(s, &question{auth: true, user: user{home: "/none"}})
		j := &job{settings: s}
		if got := goVariables(j)["GOPROXY"]; err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		if j.scripts = true; strings.Contains(goVariables(j)["GOPROXY"], "@") {
			t.Errorf("%s: a C compiler gets the log-in", text)
		}
	}
	for _, text := range []string{"", "direct", "off", "off,https://a.example", "file:///x", "https://a.example,$x"} {
		if err := goProxies(&settings{golang: &goAnswer{GOPROXY: text}}, &question{}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// What pip shows of a configuration is the text that stands there.
func TestPythonText(t *testing.T) {
	for shown, want := range map[string]string{"'a'": "a", `'it"s'`: `it"s`, `"it's"`: "it's", `'a\'b"'`: `a'b"`, `'\nx\\y'`: "\nx\\y", "''": ""} {
		if got, err := pythonText(shown); got != want || err != nil {
			t.Errorf("%s: %q, %v", shown, got, err)
		}
	}
	for _, bad := range []string{"", "a", "'a", "a'", "['a']", "'a\nb'"} {
		if got, err := pythonText(bad); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}
