package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestHostsInAFile(t *testing.T) {
	const list = string(os.PathListSeparator)
	home := t.TempDir()
	for path, text := range map[string]string{
		".kube/config":  "clusters:\n- cluster:\n    server: https://default.example.com:6443\n",
		".kube/other":   "clusters:\n- cluster: {server: 'https://127.0.0.1:6443', x: y}\n- cluster:\n    server: https://two.example.com # b\n",
		".kube/bad":     "server: https://169.254.169.254\n",
		".aws/config":   "server: https://aws.example.com\n",
		"config.json":   `{"clusters": [{"cluster": {"server": "https://json.example.com:8443"}}]}` + "\n# server: https://no.example.com",
		"work/config":   "server: https://work.example.com\n",
		"large/config":  strings.Repeat("#", 1<<20) + "\nserver: https://large.example.com\n",
		".kube/sub/one": "server: https://sub.example.com\n",
	} {
		at := filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := parsed(t, `"arguments": [{"flag": "--config", "variable": "X_CONFIG", "grant": "read", "key": "server", "default": "-~/.kube/config", "unless": ["X_TEXT", "--text"]}]`)
	for _, c := range []struct {
		args, env   string
		read, hosts string
		notices     int
	}{
		{read: ".kube/config", hosts: "default.example.com:6443"},
		{env: "X_CONFIG=.kube/other", read: ".kube/other", hosts: "localhost:6443 two.example.com:443"},
		{args: "--config=config.json", env: "X_CONFIG=.kube/other", read: "config.json", hosts: "json.example.com:8443"},
		{env: "X_CONFIG=.kube/sub/one", read: ".kube/sub/one", hosts: "sub.example.com:443"},
		{env: "X_CONFIG=.kube/bad", read: ".kube/bad", notices: 1},
		{env: "X_CONFIG=large/config", read: "large/config", notices: 1},
		{env: "X_TEXT=x"},
		{env: "X_TEXT=x X_CONFIG=.kube/other", read: ".kube/other", hosts: "localhost:6443 two.example.com:443"},
		{env: "X_CONFIG=.kube/other" + list + ".kube/sub/one", read: ".kube/other .kube/sub/one", hosts: "localhost:6443 two.example.com:443 sub.example.com:443"},
		{env: "X_CONFIG=.kube/other" + list, read: ".kube/other", hosts: "localhost:6443 two.example.com:443"},
		{env: "X_CONFIG=missing" + list + ".kube/other" + list + ".aws/config", read: ".kube/other", hosts: "localhost:6443 two.example.com:443", notices: 2},
		{args: "--config=.kube/other" + list + ".kube/config", notices: 1}, // a list is what a variable may have
		{args: "--text x"},
		{args: "--text", read: ".kube/config", hosts: "default.example.com:6443"},
		{env: "X_TEXT=", read: ".kube/config", hosts: "default.example.com:6443"},
		{env: "X_CONFIG=.kube", notices: 1},
		{env: "X_CONFIG=.aws/config", notices: 1},
		{env: "X_CONFIG=missing", notices: 1},
		{env: "X_CONFIG=work/config", read: "work/config"}, // the server may write that file
	} {
		l := given{home: home, args: strings.Fields(c.args), env: strings.Fields(c.env)}
		l.to.Filesystem.AllowWrite = []string{"~/work"}
		got, notices := l.apply(t, p)
		var read []string
		for _, path := range strings.Fields(c.read) {
			read = append(read, filepath.Join(home, path))
		}
		if !slices.Equal(got.Filesystem.AllowRead, read) || len(notices) != c.notices ||
			strings.Join(got.Network.AllowedDomains, " ") != c.hosts {
			t.Errorf("%s %s: %q %q %+v", c.args, c.env, got.Filesystem.AllowRead, got.Network.AllowedDomains, notices)
		}
	}
	got, notices := given{home: t.TempDir()}.apply(t, p)
	if len(got.Filesystem.AllowRead) > 0 || len(notices) > 0 {
		t.Errorf("a missing file: %+v %+v", got.Filesystem, notices)
	}
	got, _ = given{home: home}.apply(t, p.WithoutNetwork())
	if len(got.Network.AllowedDomains) > 0 || len(got.Filesystem.AllowRead) != 1 {
		t.Errorf("without network: %+v", got)
	}
	got, _ = given{home: home, to: policy.Policy{Level: policy.LevelNetwork}}.apply(t, p)
	if len(got.Network.AllowedDomains) > 0 || len(got.Filesystem.AllowRead) != 1 {
		t.Errorf("level network: %+v", got)
	}
}
