package profile

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// parsed is the profile of a document without the package.
func parsed(t *testing.T, members string) *Profile {
	t.Helper()
	p, err := Parse([]byte(`{"package": "npm:@x/y", ` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A given is what a profile is applied to.
type given struct {
	to        policy.Policy
	args, env []string
	home, dir string
}

func (l given) apply(t *testing.T, p *Profile) (policy.Policy, []order.Notice) {
	t.Helper()
	if l.home == "" {
		l.home = t.TempDir()
	}
	if l.dir == "" {
		l.dir = l.home
	}
	all, err := p.Apply(l.to, l.args, l.env, l.home, l.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, notices := all.Policy, all.Notices
	if err := got.Validate(); err != nil {
		t.Errorf("the policy that comes out: %v", err)
	}
	return got, notices
}

// What the policy says already stays, and a list that is shared with another policy is not written to.
func TestApplyOnlyAdds(t *testing.T) {
	p := parsed(t, `"policy": {"network": {"allowedDomains": ["api.example.com:443"]}, "filesystem": {"allowRead": ["-~/.x"], "tmpSize": "2G"},
		"limits": {"openFiles": 4096, "pids": 1024}, "env": {"X_A": "profile", "X_B": "profile", "X_C": "~/c", "X_D": "profile"}},
		"env": {"required": ["X_TOKEN"], "optional": ["X_OTHER", "X_B"]}, "state": true`)
	domains := append(make([]string, 0, 8), "a.example.com")
	to := policy.Policy{EnvVars: []string{"X_TOKEN"}, Env: []policy.Variable{{Name: "X_A", Value: "user"}}, State: "mine"}
	to.Network.AllowedDomains = domains
	to.Filesystem.DenyRead = []string{"/srv/secret"}
	to.Limits.OpenFiles = 100
	got, notices := given{to: to, env: []string{"X_TOKEN=1", "X_B=user", "X_D=user"}, home: "/home/ann"}.apply(t, p)
	want := policy.Policy{EnvVars: []string{"X_TOKEN", "X_OTHER", "X_B", "X_A", "X_D"}, State: "mine",
		Env: []policy.Variable{{Name: "X_A", Value: "user"}, {Name: "X_C", Value: "/home/ann/c"}}}
	want.Network.AllowedDomains = []string{"a.example.com", "api.example.com:443"}
	want.Filesystem = policy.Filesystem{AllowRead: []string{"-~/.x"}, DenyRead: []string{"/srv/secret"}, TmpSize: 2 << 30}
	want.Limits = policy.Limits{OpenFiles: 100, Pids: 1024}
	if !reflect.DeepEqual(got, want) || len(notices) > 0 {
		t.Errorf("%+v\n%+v\n%v", got, want, notices)
	}
	if rest := domains[:2]; rest[1] != "" {
		t.Errorf("the list of the caller was written to: %q", rest)
	}
	if got, _ := (given{}).apply(t, p); got.State != "npm-x-y" {
		t.Errorf("state %q", got.State)
	}
}

func TestApplyLevels(t *testing.T) {
	dir := t.TempDir()
	p := parsed(t, `"policy": {"network": {"allowedDomains": ["api.example.com:443"]}}, "hostsFrom": ["X_URL"], "env": {"optional": ["X_URL"]},
		"arguments": [{"position": 0, "grant": "write"}, {"position": 1, "grant": "host"}], "state": true`)
	l := given{args: []string{dir, "https://b.example.com"}, env: []string{"X_URL=https://c.example.com"}}
	all := []string{"api.example.com:443", "b.example.com:443", "c.example.com:443"}
	for level, want := range map[policy.Level]struct{ hosts, write, read []string }{
		"":                  {hosts: all, write: []string{dir}},
		policy.Standard:     {hosts: all, write: []string{dir}},
		policy.Strict:       {hosts: all, read: []string{dir}},
		policy.LevelNetwork: {write: []string{dir}},
		policy.Privileged:   {},
	} {
		l.to = policy.Policy{Level: level}
		got, notices := l.apply(t, p)
		if !slices.Equal(got.Network.AllowedDomains, want.hosts) || !slices.Equal(got.Filesystem.AllowWrite, want.write) ||
			!slices.Equal(got.Filesystem.AllowRead, want.read) || !slices.Equal(got.EnvVars, []string{"X_URL"}) || len(notices) > 0 {
			t.Errorf("level %q: %+v, %v", level, got, notices)
		}
		if (got.State != "") != (level != policy.Privileged) {
			t.Errorf("level %q: state %q", level, got.State)
		}
	}
}

func TestApplySources(t *testing.T) {
	p := parsed(t, `"arguments": [{"position": 1, "rest": true, "grant": "host", "scheme": "https"}, {"flag": "--db", "grant": "host", "scheme": "mysql"},
		{"flag": "--both", "variable": "X_BOTH", "grant": "host", "scheme": "https"},
		{"variable": "X_HOST", "grant": "host", "scheme": "mysql", "portFrom": "X_PORT"}, {"variable": "X_API", "grant": "host", "default": "https://d.example.com,e.example.com"}],
		"flags": ["--header"]`)
	for _, c := range []struct {
		args, env string
		policy    []policy.Variable
		want      string
	}{
		{want: "d.example.com:443 e.example.com:443"},
		{args: "first.example.com", want: "d.example.com:443 e.example.com:443"},
		{args: "first a.example.com -v b.example.com", want: "a.example.com:443 b.example.com:443 d.example.com:443 e.example.com:443"},
		{args: "--db=db.example.com first --db db2.example.com a.example.com", want: "a.example.com:443 db.example.com:3306 db2.example.com:3306 d.example.com:443 e.example.com:443"},
		{args: "--header h.example.com first --header=h.example.com a.example.com --header", want: "a.example.com:443 d.example.com:443 e.example.com:443"},
		{args: "--db", want: "d.example.com:443 e.example.com:443"},
		{args: "-- first --db", want: "no"},
		{args: "-- first a.example.com", want: "a.example.com:443 d.example.com:443 e.example.com:443"},
		{env: "X_HOST=h.example.com", want: "h.example.com:3306 d.example.com:443 e.example.com:443"},
		{env: "X_HOST=h.example.com X_PORT=13306 X_API=http://own.example.com", want: "h.example.com:13306 own.example.com:80"},
		{env: "X_HOST=", want: "d.example.com:443 e.example.com:443"},
		{env: "X_HOST=h.example.com", policy: []policy.Variable{{Name: "X_HOST", Value: "i.example.com"}}, want: "i.example.com:3306 d.example.com:443 e.example.com:443"},
		{env: "X_API=https://D.example.com/v1", want: "d.example.com:443 e.example.com:443"},
		{env: "X_API=https://d.example.com,o.example.com", want: "d.example.com:443 o.example.com:443"},
		{env: "X_API=http://d.example.com", want: "d.example.com:80"},
		{args: "-v --both f.example.com", env: "X_BOTH=v.example.com", want: "f.example.com:443 d.example.com:443 e.example.com:443"},
		{env: "X_BOTH=v.example.com", want: "v.example.com:443 d.example.com:443 e.example.com:443"},
	} {
		got, notices := given{to: policy.Policy{Env: c.policy}, args: strings.Fields(c.args), env: strings.Fields(c.env)}.apply(t, p)
		text := strings.Join(got.Network.AllowedDomains, " ")
		if len(notices) > 0 {
			text = "no"
		}
		if text != c.want {
			t.Errorf("%q, %q: %s, not %s", c.args, c.env, text, c.want)
		}
	}
}

// A variable that the server needs, and a host that cannot be read, leave a line; the value stands in none.
func TestApplyNotices(t *testing.T) {
	p := parsed(t, `"env": {"required": ["X_TOKEN", "X_URL"]}, "hostsFrom": ["X_URL"]`)
	got, notices := given{env: []string{"X_URL=https://u:hunter2@169.254.169.254"}}.apply(t, p)
	if len(notices) != 2 || len(got.Network.AllowedDomains) > 0 {
		t.Fatalf("%+v %+v", notices, got.Network)
	}
	for _, n := range notices {
		if n.Kind != order.NoticeProfile || n.Line == "" || (n.Flag == "") != (n.Name == "variable X_URL") || strings.Contains(n.Line, "hunter2") || len(n.Line) > 200 {
			t.Errorf("%+v", n)
		}
	}
	if notices[0].Name != "variable X_URL" || notices[1].Name != "X_TOKEN" {
		t.Errorf("%+v", notices)
	}
	if _, err := p.Apply(policy.Policy{}, nil, nil, "", "/"); err == nil {
		t.Error("a home that is not absolute is no error")
	}
}

// A folder is granted where it is the user's own choice and nothing more than that.
func TestApplyFolders(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "users", "ann")
	for _, dir := range []string{"project/sub", "notes", ".config/app", ".ssh/keys", ".aws", ".local/share/mcp-sandbox/store", ".kube", "other", ".local/state/app"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{"project/note.txt": "x", ".kube/config": "x"} {
		if err := os.WriteFile(filepath.Join(home, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "project", "away": "..", "project/out": "../notes", "project/sub/chain": "../out", "via": "project/out",
		"keys": ".ssh", "project/config": "../.config/app"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := parsed(t, `"arguments": [{"position": 0, "rest": true, "grant": "write"}]`)
	for _, c := range []struct {
		args string
		want string // what is granted
	}{
		{"project", "project"}, {"project/", "project"}, {"./project/../notes", "notes"}, {"project/note.txt", "project/note.txt"},
		{home + "/project notes", "project notes"}, {"link", "link"}, {".config/app", ".config/app"},
		{"project project/sub", "project project/sub"},
		{".", ""}, {home, ""}, {top, ""}, {"/", ""}, {"..", ""}, {"away", ""}, {".config", ""}, {".ssh", ""}, {".ssh/keys", ""}, {"keys", ""}, {"keys/keys", ""},
		{".aws", ""}, {".kube", ""}, {".kube/config", ""}, {".local", ""}, {".local/share", ""}, {".local/state", ""}, {".local/state/app", ".local/state/app"}, {".local/share/mcp-sandbox", ""},
		{".local/share/mcp-sandbox/store", ""}, {"/proc/self", ""}, {"/home", ""}, {"/home/bob", ""}, {"missing", ""}, {"~/project", ""},
		{"project/out", "project/out"}, // no folder that can be written lies around the link
		{"project project/out", "project"}, {"project/out project", "project"}, {"project via", "project"}, {"project project/sub/chain", "project"},
		{"project project/config", "project"},
	} {
		got, notices := given{args: strings.Fields(c.args), home: home}.apply(t, p)
		var want []string
		for _, path := range strings.Fields(c.want) {
			want = append(want, filepath.Join(home, path))
		}
		if !slices.Equal(got.Filesystem.AllowWrite, want) {
			t.Errorf("%s: %q, not %q; %+v", c.args, got.Filesystem.AllowWrite, want, notices)
		}
		if refused := len(strings.Fields(c.args)) - len(want); len(notices) != refused {
			t.Errorf("%s: %d notices, not %d: %+v", c.args, len(notices), refused, notices)
		}
	}
	granted := policy.Policy{}
	granted.Filesystem.AllowWrite = []string{"~/project"}
	got, notices := given{to: granted, args: []string{"project/out"}, home: home}.apply(t, p)
	if len(got.Filesystem.AllowWrite) != 1 || len(notices) != 1 || notices[0].Name != filepath.Join(home, "project/out") {
		t.Errorf("a link in a folder that the policy grants: %q, %+v", got.Filesystem.AllowWrite, notices)
	}
	around := parsed(t, `"arguments": [{"variable": "X_FILE", "grant": "write", "folder": true}]`)
	got, notices = given{env: []string{"X_FILE=" + home + "/notes/new.json"}, home: home}.apply(t, around)
	if !slices.Equal(got.Filesystem.AllowWrite, []string{filepath.Join(home, "notes")}) || len(notices) > 0 {
		t.Errorf("the folder of a file: %q, %+v", got.Filesystem.AllowWrite, notices)
	}
}
