package asked_test

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/asked"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestHost(t *testing.T) {
	p := policy.Policy{Network: policy.Network{
		AllowedDomains: []string{"api.acme.dev", "db.acme.dev:5432", "*.star.dev"}, DeniedDomains: []string{"bad.star.dev"}}}
	for _, c := range []struct {
		host string
		port uint16
		by   string
	}{
		{"api.acme.dev", 0, "/network/allowedDomains/0"},
		{"db.acme.dev", 6432, "/network/allowedDomains/1"},
		{"bad.star.dev", 0, "/network/deniedDomains/0"},
		{"other.dev", 443, "default"},
		{"169.254.169.254", 80, "default"},
		{"https://x/", 80, "default"},
	} {
		a := asked.Host(&p, c.host, c.port)
		if a.By != c.by {
			t.Errorf("%+v", a)
		}
		t.Logf("%+v", a)
	}
}

func TestSyscall(t *testing.T) {
	p := policy.Policy{Seccomp: policy.Seccomp{Deny: []string{"uname"}}}
	for name, want := range map[string]order.Allowance{"read": order.ActAllowed, "mount": order.ActDenied, "socket": order.ActDepends, "uname": order.ActDenied} {
		a, err := asked.Syscall(&p, name)
		if err != nil || a.Allowed != want {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}
