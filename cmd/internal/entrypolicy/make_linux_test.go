package entrypolicy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// home is a home folder with files, whose links are followed.
func home(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "users", "ann")
	for _, file := range files {
		at := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestProfile(t *testing.T) {
	h := home(t, "notes/a")
	notes := filepath.Join(h, "notes")
	s := &Server{Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", notes}, Dir: h, Home: h,
		Env: []string{"TOKEN=hunter2"}}
	m, err := Make(s, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if m.From != "profile npm:@modelcontextprotocol/server-filesystem" || !slices.Contains(m.Policy.Filesystem.AllowWrite, notes) ||
		!slices.Equal(m.Policy.EnvVars, []string{"TOKEN"}) || m.Policy.OnStdinClose != policy.Terminate {
		t.Errorf("%+v", m)
	}
	if text := string(m.Policy.AppendJSON(nil)); strings.Contains(text, "hunter2") {
		t.Errorf("a value of a variable is in %s", text)
	}
	s.Command[3] = h
	if m, err = Make(s, "", false); err != nil || len(m.Policy.Filesystem.AllowWrite) > 0 || len(m.Notices) != 1 {
		t.Errorf("the home: %+v, %v", m, err)
	}
}

func TestProfileOfHosts(t *testing.T) {
	h := home(t, "x")
	s := &Server{Command: []string{"npx", "-y", "@modelcontextprotocol/server-github"}, Dir: h, Home: h}
	m, err := Make(s, "", false)
	if err != nil || len(m.Policy.Network.AllowedDomains) == 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err = Make(s, "", true); err != nil || len(m.Policy.Network.AllowedDomains) != 0 {
		t.Errorf("a machine that cannot hold hosts: %+v, %v", m, err)
	}
}

func TestUnknownServer(t *testing.T) {
	h := home(t, "x", "work/server/package.json", "work/server/dist/index.js", "py/.venv/pyvenv.cfg", "py/.venv/bin/serve",
		"app/node_modules/p/cli.js", "ws/node_modules/x", "ws/packages/a/package.json", "ws/packages/a/dist/i.js", "data/file.db", ".ssh/id", "single.py", "package.json", "lone/run.js")
	at := func(name string) string { return filepath.Join(h, name) }
	for _, c := range []struct {
		command []string
		read    []string
		notices int
	}{
		{[]string{"node", at("work/server/dist/index.js")}, []string{at("work/server")}, 0},
		{[]string{"node", at("app/node_modules/p/cli.js")}, []string{at("app")}, 0},
		{[]string{"node", at("ws/packages/a/dist/i.js")}, []string{at("ws")}, 0}, // where the packages are
		{[]string{at("py/.venv/bin/serve"), "--db=" + at("data/file.db")}, []string{at("py/.venv"), at("data/file.db")}, 0},
		{[]string{"python3", at("single.py")}, []string{at("single.py")}, 0},
		{[]string{"node", "/nowhere.js", at(".ssh/id"), h, "/"}, nil, 3},
		{[]string{"node", at("lone/run.js")}, []string{at("lone")}, 0}, // and not the home, which has a manifest
		{[]string{"somewhere"}, nil, 0},
	} {
		s := &Server{Command: c.command, Dir: h, Home: h}
		if _, err := Make(s, "", false); !errors.Is(err, ErrNoPolicy) {
			t.Errorf("%q: without a level: %v", c.command, err)
		}
		m, err := Make(s, policy.Standard, false)
		if err != nil {
			t.Errorf("%q: %v", c.command, err)
			continue
		}
		if !slices.Equal(m.Policy.Filesystem.AllowRead, c.read) || len(m.Notices) != c.notices || m.From != "level standard" {
			t.Errorf("%q: reads %q, %+v", c.command, m.Policy.Filesystem.AllowRead, m.Notices)
		}
	}
}

// A script is found in the server's working folder, as the interpreter finds it, and what lies beside it is read too.
func TestScriptInWorkingFolder(t *testing.T) {
	h := home(t, "work/server/package.json", "work/server/dist/index.js", "tools/run.py", "tools/data")
	server, tools := filepath.Join(h, "work", "server"), filepath.Join(h, "tools")
	for _, c := range []struct {
		dir     string
		command []string
		read    []string
	}{
		{server, []string{"node", "dist/index.js"}, []string{server}},
		{filepath.Join(server, "dist"), []string{"node", "--no-warnings", "index.js", "data"}, []string{server}},
		{tools, []string{"python3", "run.py"}, []string{tools}},
		{tools, []string{"python3", "./run.py"}, []string{tools}},
		{tools, []string{"serve", "run.py"}, nil},
		{tools, []string{"python3", "-c", "data.py"}, nil},
	} {
		m, err := Make(&Server{Command: c.command, Dir: c.dir, Home: h}, policy.Standard, false)
		if err != nil || !slices.Equal(m.Policy.Filesystem.AllowRead, c.read) {
			t.Errorf("%q in %s: %+v, %v", c.command, c.dir, m, err)
		}
	}
}

// A policy that no launch takes is none, and a variable of the entry is a name and no pattern: a star would forward
// what the entry does not have.
func TestRefusedPolicy(t *testing.T) {
	h := home(t, "x")
	for _, c := range []struct {
		env, names []string
		ok         bool
	}{
		{[]string{"A=b"}, []string{"C"}, true},
		{[]string{"=b"}, nil, false},
		{[]string{"A B=c"}, nil, false},
		{nil, []string{"A\x00"}, false},
		{[]string{"AWS_*=x"}, nil, false},
		{nil, []string{"AWS_*"}, false},
	} {
		m, err := Make(&Server{Command: []string{"somewhere"}, Env: c.env, Names: c.names, Dir: h, Home: h}, policy.Standard, false)
		if (err == nil) != c.ok || c.ok && !slices.Equal(m.Policy.EnvVars, []string{"C", "A"}) {
			t.Errorf("%q, %q: %+v, %v", c.env, c.names, m, err)
		}
	}
}
