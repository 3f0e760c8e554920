package job

import (
	"strings"
	"testing"
)

func TestRegistries(t *testing.T) {
	for _, c := range []struct{ text, want, user string }{
		{"https://registry.example", "https://registry.example/", ""},
		{" HTTPS://Registry.Example:8443/npm?x#y ", "https://registry.example:8443/npm/", ""},
		{"http://ann:pw@registry.example/", "http://registry.example/", "ann:pw"},
		{"http://[::1]:4873", "http://[::1]:4873/", ""},
		{"ftp://registry.example/", "", ""}, {"registry.example", "", ""}, {"https:///x", "", ""},
		{"https://registry.example/${HOME}", "", ""}, {"https://registry.example/a b", "", ""}, {"", "", ""},
		{"https://registry.example/\nignore-scripts=false", "", ""},
		{"https://10.0.0.5/", "https://10.0.0.5/", ""}, {"https://r_1.x.local.:1/", "https://r_1.x.local.:1/", ""},
		{"http://2130706433/", "", ""}, {"http://127.1/", "", ""}, {"http://x.0x7f/", "", ""}, {"http://127.0.0.1./", "", ""},
		{"http://[0:0::1]/", "", ""}, {"http://[::ffff:127.0.0.1]/", "", ""}, {"http://registry\u3002example/", "", ""},
	} {
		r, user, err := NewRegistry("", c.text)
		if r.URL != c.want || (err == nil) != (c.want != "") || user.String() != c.user {
			t.Errorf("%q: %q, %v, %v", c.text, r.URL, user, err)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%v tells a password", err)
		}
	}
	if _, _, err := NewRegistry("", "ftp://ann:pw@registry.example/"); err == nil || strings.Contains(err.Error(), "pw") {
		t.Errorf("%v", err)
	}
}

// No part of a name or password stays in a text, and nothing of another URL is lost.
func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"https://u:p@r.example/x":      "https://r.example/x",
		"https://u:p@ss@w@r.example/x": "https://r.example/x",
		"https://u@r.example":          "https://r.example",
		"u:p@ss@r.example/x":           "r.example/x",
		"https://u:p/w@r.example/x":    "https://r.example/x",
		"https://u:p/w@s/s@r.example":  "https://r.example",
		"https://u:p?w#@r.example/x":   "https://r.example/x",
		"https://r.example:8443/@x/y":  "https://r.example:8443/@x/y",
		"https://[::1]:8443/@x/y":      "https://[::1]:8443/@x/y",
		"https://r.example/@x/y":       "https://r.example/@x/y",
		"git+https://u:p@r.example/x":  "git+https://r.example/x",
		"r.example":                    "r.example",
		"github:x/dep":                 "github:x/dep",
		"github:x/dep#v1":              "github:x/dep#v1",
		"":                             "",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := RedactAll("of https://u:p@a.example,x and  https://b.example"); got != "of https://a.example,x and https://b.example" {
		t.Error(got)
	}
}

func TestServing(t *testing.T) {
	s := Settings{Registries: []Registry{{URL: "https://registry.example/"}, {Scope: "@x", URL: "http://127.0.0.1:4873/npm/"}}}
	for archive, want := range map[string]string{
		"https://registry.example/a/-/a-1.tgz":      "https://registry.example/",
		"https://registry.example:443/a/-/a-1.tgz":  "https://registry.example/",
		"https://REGISTRY.example/a/-/a-1.tgz":      "https://registry.example/",
		"http://127.0.0.1:4873/elsewhere/a.tgz":     "http://127.0.0.1:4873/npm/",
		"http://registry.example/a/-/a-1.tgz":       "",
		"http://registry.example:443/a/-/a-1.tgz":   "",
		"https://registry.example:8443/a.tgz":       "",
		"https://registry.example.evil.example/a":   "",
		"https://u@registry.example/a.tgz":          "",
		"https://registry.example@evil.example/a":   "",
		"git+https://registry.example/a.git":        "",
		"file:../a":                                 "",
		"":                                          "",
		"//registry.example/a.tgz":                  "",
		"https://registry.example\\@evil.example/a": "",
	} {
		if got := s.Serving(archive); got != want {
			t.Errorf("%q: %q, want %q", archive, got, want)
		}
	}
	if s.of("@x/a") != "http://127.0.0.1:4873/npm/" || s.of("@y/a") != "https://registry.example/" || s.of("a") != "https://registry.example/" {
		t.Error("of")
	}
}

// What stands in a URL comes to the log-in as it was typed.
func TestLoginsOfURLs(t *testing.T) {
	_, user, err := NewRegistry("", "https://u%40x:p%2Fa:b@index.example/simple")
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{Logins: []Login{{Key: "https://index.example/simple/", Value: user.String()}}}
	if got := s.WithLogin("https://index.example/simple/"); got != "https://u%40x:p%2Fa%3Ab@index.example/simple/" {
		t.Error(got)
	}
	if got := s.WithLogin("https://other.example/"); got != "https://other.example/" {
		t.Error(got)
	}
	if p, _ := s.Logins[0].user().Password(); s.Logins[0].user().Username() != "u@x" || p != "p/a:b" {
		t.Error(s.Logins[0].user())
	}
}
