package withheld

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A proxy that this test's own parent does not have is told of, without the name and the password, where it is used.
func TestProxies(t *testing.T) {
	const rest = ": the process that started mcp-sandbox does not have this value"
	for _, c := range []struct {
		env     string // NAME=VALUE between spaces
		level   policy.Level
		domains string
		want    string
	}{
		{"HTTPS_PROXY=http://ann:mellon@127.0.0.1:8080", policy.Standard, "a.example",
			"HTTPS_PROXY hosts are reached by the proxy 127.0.0.1:8080 of HTTPS_PROXY" + rest},
		{"HTTPS_PROXY=http://h:1 https_proxy=socks5h://[::1]", policy.Strict, "localhost:1 a.example:22",
			"https_proxy hosts are reached by the proxy [::1]:1080 of https_proxy" + rest},
		{"HTTP_PROXY=http://h:1", policy.Standard, "a.example", ""}, // no way of the launcher's
		{"HTTPS_PROXY=http://h:1", policy.Standard, "localhost:1", ""},
		{"HTTPS_PROXY=http://h:1", policy.Standard, "", ""},
		{"HTTPS_PROXY=socks9://h:1", policy.Standard, "a.example", ""}, // is refused
		{"NO_PROXY=*", policy.Standard, "a.example", ""},
		{"HTTP_PROXY=https://ann:mellon@h ALL_PROXY=h2 all_proxy=https://h", policy.LevelNetwork, "",
			"HTTP_PROXY the server is told of the proxy h:443 of HTTP_PROXY" + rest + "\n" +
				"ALL_PROXY the server is told of the proxy h2:80 of ALL_PROXY" + rest + "\nall_proxy "},
		{"HTTPS_PROXY=x://mellon@h", policy.LevelNetwork, "", "HTTPS_PROXY the server is told of the proxy h:80 of HTTPS_PROXY" + rest},
		{"ALL_PROXY=: FTP_PROXY=socks4://h:9 ftp_proxy=:", policy.LevelNetwork, "", "ALL_PROXY the server is told of the proxy of ALL_PROXY" + rest +
			"\nFTP_PROXY the server is told of the proxy h:9 of FTP_PROXY" + rest + "\nftp_proxy the server is told of the proxy of ftp_proxy" + rest},
		{"", policy.LevelNetwork, "", ""},
	} {
		for _, name := range strings.Fields("HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy FTP_PROXY ftp_proxy") {
			t.Setenv(name, "")
		}
		o := &order.Order{Env: strings.Fields(c.env)}
		for _, variable := range o.Env {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
		}
		p := policy.Policy{Level: c.level}.Effective(policy.Run)
		p.Network.AllowedDomains = strings.Fields(c.domains)
		var got []string
		for _, n := range proxies(o, &p) {
			if n.Kind != order.NoticeProxy || n.Flag != "" {
				t.Errorf("%+v", n)
			}
			got = append(got, n.Name+" "+n.Line)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s, %s, %q:\n%q\n%q", c.env, c.level, c.domains, got, c.want)
		}
		o.Env = nil // the policy's own variables are in no environment
		if c.level == policy.LevelNetwork && len(proxies(o, &p)) > 0 {
			t.Errorf("%s: told of a server that has none", c.env)
		}
	}
}

// An install goes by the launcher's proxy, and in a level with the host's network by whichever its manager takes.
func TestInstallProxy(t *testing.T) {
	for _, c := range []struct {
		env   string
		level policy.Level
		want  string
	}{
		{"", policy.LevelNetwork, ""},
		{"HTTPS_PROXY=http://h:1", policy.Standard, " h:1 of HTTPS_PROXY: "},
		{"HTTPS_PROXY=http://h:1", policy.LevelNetwork, " h:1 of HTTPS_PROXY: "},
		{"http_proxy=http://h:1", policy.Standard, ""}, // no way of the launcher's
		{"http_proxy=http://h:1", policy.LevelNetwork, " h:1 of http_proxy: "},
		{"HTTP_PROXY=http://ann:mellon@h:1", policy.Privileged, " h:1 of HTTP_PROXY: "},
	} {
		for _, name := range notice.ProxyVariables() {
			t.Setenv(name, "")
		}
		if name, value, set := strings.Cut(c.env, "="); set {
			t.Setenv(name, value)
		}
		if got := InstallProxy(c.level); (got != "") != (c.want != "") || !strings.Contains(got, c.want) || strings.Contains(got, "mellon") {
			t.Errorf("%s, %s: %q", c.env, c.level, got)
		}
	}
}
