package wrapping

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A desk is the home of a user whose cursor has one file.
type desk struct {
	*testing.T
	*Scope
	file string
}

func (d *desk) write(path, text string) {
	d.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) text(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

func newDesk(t *testing.T, text string) *desk {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home = filepath.Join(home, "ann")
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	d := &desk{T: t, file: filepath.Join(home, ".cursor", "mcp.json"), Scope: &Scope{
		Machine: mcphosts.Machine{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
		Hosts:   []*mcphosts.Host{mcphosts.ByName("cursor")}, Program: "/usr/bin/mcp-sandbox",
		Policies: filepath.Join(home, "policies")}}
	d.write(d.file, text)
	return d
}

// plan is what a choice does with the one server.
func (d *desk) plan(c Choice) (*File, *Entry) {
	d.Helper()
	files, problems := d.Files()
	if len(files) != 1 || len(problems) > 0 {
		d.Fatalf("%d files, %v", len(files), problems)
	}
	all := d.Plan(files, c)
	if len(all) != 1 {
		d.Fatalf("%d servers", len(all))
	}
	return files[0], all[0]
}

const one = `{"mcpServers":{"s":{"command":"/usr/bin/true","args":["a"],"env":{"A":"b"}}}}`

// What another program wrote since the user was asked is not wrapped, and no policy counts that was not shown. What
// has nothing to do with the server stays.
func TestMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after string // the policy that lies there when it is shown, and afterwards; "" for none
		text          string // of the file, afterwards
		ok            bool
	}{
		{"nothing", "", "", one, true},
		{"another key", "", "", `{"theme":1,` + one[1:], true},
		{"another server before", "", "", strings.Replace(one, `"s"`, `"r":{"command":"x"},"s"`, 1), true},
		{"another command", "", "", strings.Replace(one, "true", "false", 1), false},
		{"another argument", "", "", strings.Replace(one, `"a"`, `"a","b"`, 1), false},
		{"another folder", "", "", strings.Replace(one, `"args"`, `"cwd":"/x","args"`, 1), false},
		{"another variable", "", "", strings.Replace(one, `"A":`, `"PATH":"/x","A":`, 1), false},
		{"another value", "", "", strings.Replace(one, `"b"`, `"c"`, 1), false},
		{"another name", "", "", strings.Replace(one, `"s"`, `"r"`, 1), false},
		{"left alone by now", "", "", strings.Replace(one, `"/usr/bin/true"`, `"docker"`, 1), false},
		{"gone", "", "", `{"mcpServers":{}}`, false},
		{"the same policy", `{"version":1,"level":"strict"}`, `{"version":1,"level":"strict"}`, one, true},
		{"a policy that came", "", `{"version":1,"level":"network"}`, one, false},
		{"a policy that changed", `{"version":1,"level":"strict"}`, `{"version":1,"level":"network"}`, one, false},
		{"a policy that confines nothing", "", `{"version":1,"level":"privileged"}`, one, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, one)
			lies := filepath.Join(d.Policies, "cursor", "s.json")
			if c.before != "" {
				d.write(lies, c.before)
			}
			f, e := d.plan(Choice{Level: policy.Standard})
			if !e.Change || e.Policy != lies || e.Kept != (c.before != "") {
				t.Fatalf("%+v", e)
			}
			d.write(d.file, c.text)
			if c.after != "" {
				d.write(lies, c.after)
			}
			_, err := f.Change([]*Entry{e})
			if wrapped := d.text(d.file) != c.text; (err == nil) != c.ok || wrapped != c.ok {
				t.Errorf("%v, wrapped: %t, want %t\n%s", err, wrapped, c.ok, d.text(d.file))
			}
			if there := d.text(lies); (there != c.after) != (c.ok && c.after == "") {
				t.Errorf("the policy is %q", there)
			}
		})
	}
}

// Restore brings the entry back. The policy goes that was written for it, and one of the user's stays.
func TestRestore(t *testing.T) {
	for _, users := range []string{"", `{"version":1,"level":"strict"}`} {
		d := newDesk(t, one)
		lies := filepath.Join(d.Policies, "cursor", "s.json")
		if users != "" {
			d.write(lies, users)
		}
		f, e := d.plan(Choice{Level: policy.Standard})
		if _, err := f.Change([]*Entry{e}); err != nil || d.text(d.file) == one || d.text(lies) == "" {
			t.Fatalf("%v, %s", err, d.text(d.file))
		}
		if err := d.Restore(e); err != nil || d.text(d.file) != one || d.text(lies) != users {
			t.Errorf("%v, %s\npolicy %q, want %q", err, d.text(d.file), d.text(lies), users)
		}
		if err := d.Restore(e); err == nil || d.text(lies) != users {
			t.Errorf("once more: %v", err)
		}
	}
}

// Hosts are given to a server only where the machine can hold them; it is asked only about such a server.
func TestReduced(t *testing.T) {
	const server = `{"mcpServers":{"s":{"command":"npx","args":["-y","@modelcontextprotocol/server-github"]}}}`
	for _, c := range []struct {
		text    string
		reduced bool
		asked   bool
		hosts   bool
	}{{server, false, true, true}, {server, true, true, false}, {one, true, false, false}} {
		d, asked := newDesk(t, c.text), false
		_, e := d.plan(Choice{Level: policy.Standard, NoHosts: func() bool { asked = true; return c.reduced }})
		if !e.Change || asked != c.asked || len(e.Made.Policy.Network.AllowedDomains) > 0 != c.hosts {
			t.Errorf("reduced %t: asked %t, %+v", c.reduced, asked, e)
		}
	}
}

// Only policies in the folders that wrap writes are taken for its own.
func TestOurs(t *testing.T) {
	user, project := &Scope{Policies: "/h/policies"}, &Scope{Policies: "/h/policies", Project: "/p"}
	for path, want := range map[string][2]bool{ // of the user, of the project
		"/h/policies/s.json":          {true, false},
		"/h/policies/cursor/s.json":   {true, false},
		"/h/policies/cursor/s":        {false, false},
		"/h/policies/../x.json":       {false, false},
		"/h/policies.json":            {false, false},
		"/h/x.json":                   {false, false},
		"/etc/x.json":                 {false, false},
		"h/policies/s.json":           {false, false},
		"s.json":                      {false, false},
		".mcp-sandbox/s.json":         {false, true},
		".mcp-sandbox/a/s.json":       {false, false},
		".mcp-sandbox/${X:-s}.json":   {false, false}, // hosts would put another there
		".mcp-sandbox/{env:X}.json":   {false, false},
		"/h/policies/cursor/$X.json":  {false, false},
		".mcp-sandbox/../s.json":      {false, false},
		".mcp-sandbox/s":              {false, false},
		"a/.mcp-sandbox/s.json":       {false, false},
		"/p/.mcp-sandbox/s.json":      {false, false},
		".mcp-sandbox/../../x/s.json": {false, false},
	} {
		if got := [2]bool{user.ours(path), project.ours(path)}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// Nobody but the user can write a policy, whatever the umask.
func TestPolicyModes(t *testing.T) {
	d := newDesk(t, one)
	defer unix.Umask(unix.Umask(0))
	for _, f := range []policyFile{
		{path: filepath.Join(d.Policies, "s.json")},
		{path: filepath.Join(d.Machine.Home, projectPolicies, "s.json"), project: d.Machine.Home},
	} {
		if err := f.write(&policy.Policy{Level: policy.Standard}); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{f.path, filepath.Dir(f.path)} {
			info, err := os.Stat(at)
			if err != nil || info.Mode()&0o022 != 0 || info.Mode()&0o400 == 0 {
				t.Errorf("%s: %v, %v", at, info.Mode(), err)
			}
		}
	}
}
