package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file in the home is granted as a file where it is there; else the line says to make it, and proposes no flag, which
// would be refused. A line about what a flag of the user's grants would stay whatever is typed.
func TestApplyFileInTheHome(t *testing.T) {
	p := parsed(t, `"arguments": [{"variable": "X", "grant": "write", "folder": true}]`)
	home := t.TempDir()
	for _, name := range []string{"there.json", ".hidden", "sub/x.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, typed string // typed: a write grant of the user's
		want        string // granted
		line, flag  string
	}{
		{name: "there.json", want: "there.json"},
		{name: "sub/x.json", want: "sub"},
		{name: "later.json", line: "make that file first"},
		{name: ".hidden", line: "is or holds the home folder", flag: "--allow-write PATH"},
		{name: "none/x.json", line: "make it first"},
		{name: "later.json", typed: "."},
		{name: ".hidden", typed: "."},
		{name: ".hidden", typed: "sub", line: "is or holds the home folder", flag: "--allow-write PATH"},
	} {
		l := given{home: home, env: []string{"X=" + filepath.Join(home, c.name)}}
		if c.typed != "" {
			l.to.Filesystem.AllowWrite = []string{filepath.Join(home, c.typed)}
		}
		got, notices := l.apply(t, p)
		all, want := got.Filesystem.AllowWrite, slices.Clone(l.to.Filesystem.AllowWrite)
		if c.want != "" {
			want = append(want, filepath.Join(home, c.want))
		}
		if !slices.Equal(all, want) || (len(notices) == 0) != (c.line == "") {
			t.Errorf("%s, %q: %q, %+v", c.name, c.typed, all, notices)
			continue
		}
		for _, n := range notices {
			if !strings.Contains(n.Line, c.line) || n.Flag != c.flag || strings.Contains(n.Line, "--") != (c.flag != "") {
				t.Errorf("%s: %+v", c.name, n)
			}
		}
	}
}

// No flag allows a metadata service; one of the user's hosts may be that of a value that cannot be read.
func TestApplyHostByHand(t *testing.T) {
	p := parsed(t, `"hostsFrom": ["X"]`)
	for _, c := range []struct {
		value, typed string
		notices      int
		flag         string
	}{
		{"https://169.254.169.254", "", 1, ""},
		{"https://169.254.169.254", "a.example:443", 1, ""},
		{"nonsense", "", 1, "--allow-domain HOST:PORT"},
		{"nonsense", "a.example:443", 0, ""},
	} {
		l := given{env: []string{"X=" + c.value}}
		if c.typed != "" {
			l.to.Network.AllowedDomains = []string{c.typed}
		}
		_, notices := l.apply(t, p)
		if len(notices) != c.notices || len(notices) > 0 && notices[0].Flag != c.flag {
			t.Errorf("%s, %q: %+v", c.value, c.typed, notices)
		}
	}
}
