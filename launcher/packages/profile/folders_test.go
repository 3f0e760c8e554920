package profile

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A place of secrets that is a link, as tools for dotfiles make, is one at both of its ends.
func TestApplyLinkedSecrets(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{"dotfiles/ssh/keys", "dotfiles/config/app", "dotfiles/vim", "dotfiles/kube", "notes"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{".ssh": "dotfiles/ssh", ".config": "dotfiles/config", ".kube": "dotfiles/kube"} {
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "dotfiles/kube/config"), []byte("server: https://c.example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := parsed(t, `"arguments": [{"position": 0, "grant": "read"}]`)
	for path, granted := range map[string]bool{".ssh": false, ".ssh/keys": false, "dotfiles/ssh": false, "dotfiles/ssh/keys": false,
		"dotfiles": false, ".config": false, "dotfiles/config": false, ".config/app": true, "dotfiles/vim": true, "notes": true, ".kube/config": false} {
		got, notices := given{args: []string{path}, home: home}.apply(t, p)
		if slices.Equal(got.Filesystem.AllowRead, []string{filepath.Join(home, path)}) != granted || len(notices) == 0 != granted {
			t.Errorf("%s: %q, %+v", path, got.Filesystem.AllowRead, notices)
		}
	}
	own := parsed(t, `"arguments": [{"variable": "X", "grant": "read", "key": "server", "default": "-~/.kube/config"}]`)
	if got, notices := (given{home: home}).apply(t, own); len(got.Network.AllowedDomains) != 1 || len(notices) > 0 {
		t.Errorf("a server's own file: %+v, %+v", got.Network, notices)
	}
}

// A link in the one folder that the server may write is not followed, for reading neither, and the file behind it is not
// read for hosts.
func TestApplyLinkInTheOnlyFolder(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("server: https://c.example.com\n")
	for _, dir := range []string{"project", "notes"} {
		if err := errors.Join(os.Mkdir(filepath.Join(home, dir), 0o755), os.WriteFile(filepath.Join(home, dir, "conf"), text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("../notes/conf", home+"/project/out"), os.Symlink("../notes/conf", home+"/notes/in")); err != nil {
		t.Fatal(err)
	}
	p := parsed(t, `"arguments": [{"variable": "X", "grant": "read", "key": "server"}]`)
	for path, want := range map[string]struct{ granted, hosts bool }{
		"project/out": {false, false}, "project/conf": {true, false}, "notes/conf": {true, true}, "notes/in": {true, true},
	} {
		to := policy.Policy{}
		to.Filesystem.AllowWrite = []string{filepath.Join(home, "project")}
		got, notices := given{to: to, env: []string{"X=" + path}, home: home}.apply(t, p)
		if granted := len(got.Filesystem.AllowRead) > 0; granted != want.granted || granted == (len(notices) > 0) || (len(got.Network.AllowedDomains) > 0) != want.hosts {
			t.Errorf("%s: %q, %q, %+v", path, got.Filesystem.AllowRead, got.Network.AllowedDomains, notices)
		}
	}
}

// What is neither a folder nor a file could not be granted: the launch would be refused.
func TestApplyNoFile(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	p := parsed(t, `"arguments": [{"position": 0, "grant": "read"}]`)
	got, notices := given{args: []string{"socket"}, home: home}.apply(t, p)
	if len(got.Filesystem.AllowRead) > 0 || len(notices) != 1 {
		t.Errorf("%q, %+v", got.Filesystem.AllowRead, notices)
	}
}

// A file that cannot be read is told by its source alone.
func TestApplyUnreadable(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("for root every file can be read")
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "hunter2"), nil, 0); err != nil {
		t.Fatal(err)
	}
	p := parsed(t, `"arguments": [{"variable": "X", "grant": "read", "key": "server"}]`)
	_, notices := given{env: []string{"X=hunter2"}, home: home}.apply(t, p)
	if len(notices) != 1 || strings.Contains(notices[0].Line, "hunter") {
		t.Errorf("%+v", notices)
	}
}

// The home that passwd(5) names is one beside HOME.
func TestApplyPasswdHome(t *testing.T) {
	l := limits{homes: []string{"/srv/ann"}}
	l.homes = append(l.homes, homesIn("root:x:0:0::/var/lib/root:/bin/sh\nann:x:1000:1000::/data/ann:/bin/sh\n", 1000)...)
	for path, granted := range map[string]bool{"/data": false, "/data/ann": false, "/data/ann/.ssh": false, "/data/ann/x": true, "/srv/ann": false,
		"/var/lib/root": true} {
		if why := l.why(folder{written: path, real: path}); (why == "") != granted {
			t.Errorf("%s: %q", path, why)
		}
	}
}
