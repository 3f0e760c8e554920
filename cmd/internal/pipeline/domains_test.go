package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestNoteDomains(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--allow-domain api.example.com --deny-domain 192.0.2.1 --allow-private --no-check-server-name", ""},
		{"--allow-domain *.example.com --deny-domain bad.example.com:443", ""},
		{"--allow-domain me.github.io --allow-domain *.me.github.io", ""},
		{"--allow-domain *.github.io", "--allow-domain *.github.io: anybody can have a name below github.io: name the one that is meant"},
		{"--allow-domain a.example --deny-domain b.example", "--deny-domain b.example: no --allow-domain opens this host, so the denial has no effect"},
		{"--deny-domain 192.0.2.1", "--deny-domain 192.0.2.1: no --allow-domain opens this host, so the denial has no effect"},
		{"--allow-private", "--allow-private: without --allow-domain there is no network"},
		{"--allow-private=false", ""},
		{"--allow-private --level network", ""},
		{"--no-check-server-name", "--no-check-server-name: without --allow-domain there is no network"},
	} {
		f := cli.NewFlags()
		l := ForLaunch(f)
		if _, err := f.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		p, why := l.Policy("/", "/")
		if len(why) > 0 {
			t.Fatal(why)
		}
		p = p.Effective(policy.Run)
		r := review{line: l, policy: &p}
		r.noteDomains()
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if !slices.Equal(r.notes, want) {
			t.Errorf("%s: %q, want %q", c.args, r.notes, want)
		}
	}
}
