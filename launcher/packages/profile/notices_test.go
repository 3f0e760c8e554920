package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a variable holds stands in no line: a path in it may be a key by mistake.
func TestApplyNoticesOfPaths(t *testing.T) {
	p := parsed(t, `"arguments": [{"variable": "X_FILE", "grant": "read", "key": "server"}, {"variable": "X_DIR", "grant": "write"}]`)
	home := t.TempDir()
	for path, text := range map[string]string{"hunter2": "server: x", "hunter3": strings.Repeat("#", 1<<20+1)} {
		if err := os.WriteFile(filepath.Join(home, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("hunter2", filepath.Join(home, "hunter-link")); err != nil {
		t.Fatal(err)
	}
	for _, env := range []string{"X_FILE=hunter", "X_FILE=hunter2", "X_FILE=hunter3", "X_FILE=~/hunter2", "X_DIR=/hunter2", "X_DIR=hunter-link"} {
		l := given{env: []string{env}, home: home}
		if env == "X_DIR=hunter-link" {
			l.to.Filesystem.AllowWrite = []string{home}
		}
		_, notices := l.apply(t, p)
		if len(notices) != 1 {
			t.Errorf("%s: %+v", env, notices)
		}
		for _, n := range notices {
			name, _, _ := strings.Cut(env, "=")
			if strings.Contains(n.Line+n.Name+n.Flag, "hunter") || n.Name != "variable "+name || !strings.Contains(n.Line, "variable "+name) {
				t.Errorf("%s: %+v", env, n)
			}
		}
	}
}

// A default that is not granted is named as one.
func TestApplyNoticesOfDefaults(t *testing.T) {
	home := t.TempDir()
	if err := os.Symlink("x", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{".": "working folder ", "~/link": "default "} {
		_, notices := given{home: home}.apply(t, parsed(t, `"arguments": [{"position": 0, "variable": "X", "grant": "read", "default": "`+value+`"}]`))
		if len(notices) != 1 || !strings.HasPrefix(notices[0].Line, want) {
			t.Errorf("%s: %+v", value, notices)
		}
	}
}

// Nothing is missing where one of the others is given.
func TestApplyUnless(t *testing.T) {
	p := parsed(t, `"env": {"required": ["X_TOKEN", "X_ID"], "optional": ["X_HEADERS"], "unless": ["X_HEADERS", "--token"]}`)
	for _, c := range []struct {
		args, env string
		want      int
	}{
		{want: 2}, {env: "X_TOKEN=1", want: 1}, {env: "X_HEADERS=1"}, {env: "X_HEADERS=", want: 2}, {args: "--token=x"}, {args: "-v --token x"},
		{args: "--tokens=x", want: 2}, {args: "-- --token=x", want: 2},
	} {
		if _, notices := (given{args: strings.Fields(c.args), env: strings.Fields(c.env)}).apply(t, p); len(notices) != c.want {
			t.Errorf("%q %q: %+v", c.args, c.env, notices)
		}
	}
}
