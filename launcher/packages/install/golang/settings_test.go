package golang

import (
	"bytes"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// Whatever the user's configuration says, nothing that a module brings is run in an install, and no other Go.
func TestGoVariables(t *testing.T) {
	j := &job.Job{Settings: &job.Settings{Answer: &answer{GONOPROXY: "example.com/dep", GOSUMDB: "sums.example", GONOSUMDB: "example.com/x"}}, Stage: "/s", Private: "/s/p"}
	for name, want := range map[string]string{"GOVCS": "*:off", "GOENV": "off", "GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0", "GOSUMDB": "sums.example",
		"GONOSUMDB": "example.com/x", "GONOPROXY": "example.com/dep", "GOINSECURE": "", "GOBIN": "/s/bin", "GOCACHE": "/s/p/cache"} {
		if got := variables(j)[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if j.Scripts = true; variables(j)["CGO_ENABLED"] != "1" || variables(j)["GOVCS"] != "*:off" {
		t.Errorf("with scripts: %v", variables(j))
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
		s := &job.Settings{Answer: &answer{GOPROXY: text}}
		err := addProxies(s, &job.Question{Auth: true, User: job.User{Home: "/none"}})
		j := &job.Job{Settings: s}
		if got := variables(j)["GOPROXY"]; err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		if j.Scripts = true; strings.Contains(variables(j)["GOPROXY"], "@") {
			t.Errorf("%s: a C compiler gets the log-in", text)
		}
	}
	for _, text := range []string{"", "direct", "off", "off,https://a.example", "file:///x", "https://a.example,$x"} {
		if err := addProxies(&job.Settings{Answer: &answer{GOPROXY: text}}, &job.Question{}); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// A netrc counts as a log-in, and its text leaves the home only where log-ins are wanted.
func TestNetrc(t *testing.T) {
	home := t.TempDir()
	registrytest.Put(t, home, map[string]string{".netrc": "machine a.example login u password s3cret\n"})
	for auth, want := range map[bool]int{false: 0, true: 1} {
		s := &job.Settings{Answer: &answer{GOPROXY: "https://a.example"}}
		err := addProxies(s, &job.Question{Auth: auth, User: job.User{Home: home}})
		if err != nil || !s.Login || len(s.Logins) != want {
			t.Errorf("with --registry-auth %v: %+v, %v", auth, s, err)
		}
	}
}

// Paths of packages alone get onto the command line of go.
func TestWords(t *testing.T) {
	for _, s := range []startline.Spec{{Name: "-x"}, {Name: "example.com/x", Range: "v1 -x"}, {Name: "../x"}, {Name: "example.com/x", Range: "-x"}} {
		j := &job.Job{Start: &startline.Start{Specs: []startline.Spec{s}}, Settings: &job.Settings{Answer: &answer{}}}
		if _, err := install(t.Context(), j); err == nil || !strings.Contains(err.Error(), "is no path of a package") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// The launcher's memory does not grow with a program, which says itself how long its parts are.
func TestReadsAreBounded(t *testing.T) {
	registrytest.Bounded(t, map[string]string{"bin/tool": "\x7fELF+"}, "program tool of example.com/tool", func(at string) error {
		_, err := contents(&job.Job{Stage: at}, "example.com/tool")
		return err
	})
}

// A program of Go's that says of itself that it is longer than any is not read to its end.
func TestStartsOfPrograms(t *testing.T) {
	r := &sparing{bytes.NewReader(make([]byte, 100)), 64}
	if n, err := r.ReadAt(make([]byte, 60), 0); n != 60 || err != nil {
		t.Error(n, err)
	}
	if _, err := r.ReadAt(make([]byte, 5), 60); err == nil {
		t.Error("more is read than there may be")
	}
}
