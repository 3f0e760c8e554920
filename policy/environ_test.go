package policy

import (
	"slices"
	"testing"
)

func TestEnviron(t *testing.T) {
	proxies := []string{"HTTPS_PROXY=http://p", "no_proxy=*"}
	for _, test := range []struct {
		name         string
		policy       Policy
		host, extra  []string
		env, dropped []string
	}{
		{name: "nothing"},
		{
			name: "always",
			host: []string{"HOME=/h", "LOGNAME=l", "PATH=/bin", "SHELL=sh", "TERM=dumb", "USER=u", "LANG=C", "LC_ALL=C", "LC_X=", "TZ=UTC",
				"NODE_EXTRA_CA_CERTS=a", "SSL_CERT_FILE=b", "SSL_CERT_DIR=c", "NIX_SSL_CERT_FILE=d"},
			env: []string{"HOME=/h", "LOGNAME=l", "PATH=/bin", "SHELL=sh", "TERM=dumb", "USER=u", "LANG=C", "LC_ALL=C", "LC_X=", "TZ=UTC",
				"NODE_EXTRA_CA_CERTS=a", "SSL_CERT_FILE=b", "SSL_CERT_DIR=c", "NIX_SSL_CERT_FILE=d"},
		},
		{
			name:    "secrets",
			host:    []string{"TOKEN=t", "AWS_SECRET=s", "PATHS=x", "path=x", "LANGUAGE=x", "LC=x", "HOME=/h", "LD_PRELOAD=x", "TOKEN=again"},
			env:     []string{"HOME=/h"},
			dropped: []string{"AWS_SECRET", "LANGUAGE", "LC", "LD_PRELOAD", "PATHS", "TOKEN", "path"},
		},
		{
			name:    "forwarded by name",
			policy:  Policy{EnvVars: []string{"TOKEN", "MISSING", "HOME"}},
			host:    []string{"TOKEN=a=b", "TOKEN2=x", "HOME=/h"},
			env:     []string{"TOKEN=a=b", "HOME=/h"},
			dropped: []string{"TOKEN2"},
		},
		{
			name:    "forwarded by pattern",
			policy:  Policy{EnvVars: []string{"NOTION_*", "A_B_*"}, Env: []Variable{{"NOTION_URL", "literal"}}},
			host:    []string{"NOTION_TOKEN=t", "NOTION_=e", "NOTION=n", "XNOTION_A=x", "notion_a=x", "NOTION_URL=host", "A_B=x", "A_B_C=c"},
			env:     []string{"NOTION_TOKEN=t", "NOTION_=e", "A_B_C=c", "NOTION_URL=literal"},
			dropped: []string{"A_B", "NOTION", "XNOTION_A", "notion_a"},
		},
		{
			name:    "literal wins",
			policy:  Policy{Env: []Variable{{"HOME", "/x"}, {"NEW", "a=b"}, {"TOKEN", ""}}, EnvVars: []string{"NEW"}},
			host:    []string{"HOME=/h", "NEW=old", "TOKEN=t", "USER=u", "OTHER=o"},
			env:     []string{"USER=u", "HOME=/x", "NEW=a=b", "TOKEN="},
			dropped: []string{"OTHER"},
		},
		{
			name:   "extra wins",
			policy: Policy{Env: []Variable{{"HOME", "/x"}, {"A", "1"}}},
			host:   []string{"HOME=/h", "TMPDIR=/secret"},
			extra:  []string{"HOME=/private", "TMPDIR=/tmp", "HOME=/last"},
			env:    []string{"A=1", "TMPDIR=/tmp", "HOME=/last"},
		},
		{name: "last wins", host: []string{"PATH=/a", "USER=u", "PATH=/b"}, env: []string{"USER=u", "PATH=/b"}},
		{
			name:    "malformed",
			policy:  Policy{EnvVars: []string{"A"}},
			host:    []string{"", "=", "=C:=C:\\x", "HOME", "A\x00=1", "A=\x00", "B=\x00", "USER=u"},
			extra:   []string{"no value"},
			env:     []string{"USER=u"},
			dropped: nil,
		},
		{name: "proxies stay", host: proxies, dropped: []string{"HTTPS_PROXY", "no_proxy"}},
		{name: "proxies in network", policy: Policy{Level: LevelNetwork}, host: proxies, env: proxies},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := slices.Clone(test.host)
			env, dropped := test.policy.environ("linux", host, test.extra...)
			if !slices.Equal(env, test.env) || !slices.Equal(dropped, test.dropped) {
				t.Errorf("got  %q, dropped %q\nwant %q, dropped %q", env, dropped, test.env, test.dropped)
			}
			if env == nil {
				t.Error("the environment is nil: os/exec would forward all")
			}
			if !slices.Equal(host, test.host) {
				t.Errorf("the host's list is written to: %q", host)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	names := []string{"TOKEN", "NOTION_*", "HOME", "path", "AWS_*", "A"}
	host := []string{"HOME=/h", "NOTION_KEY=k", "PATH=/bin", "AWS=x", "A", "=C:=C:\\x"}
	if got, want := unset(names, "linux", host), []string{"TOKEN", "path", "AWS_*", "A"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := unset(names, "windows", append(host, "aws_key=x")), []string{"TOKEN", "A"}; !slices.Equal(got, want) {
		t.Errorf("on Windows: got %q, want %q", got, want)
	}
}
