package explain

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// Which denials take away something of what an entry allows.
func TestUnneeded(t *testing.T) {
	for _, c := range []struct {
		allowed, denied string
		want            bool
	}{
		{"a.example", "a.example", true}, {"a.example", "b.example", false}, {"a.example", "a.example:443", true},
		{"a.example", "a.example:22", false}, {"a.example:22", "a.example:22", true}, {"a.example:22", "a.example", true},
		{"a.example:22", "a.example:80", false}, {"*.b.example", "a.b.example", true}, {"*.b.example", "b.example", false},
		{"*.b.example", "ab.example", false}, {"a.b.example", "*.b.example", true}, {"b.example", "*.b.example", false},
		{"*.b.example", "*.b.example", true}, {"*.b.example", "*.c.b.example", true}, {"*.c.b.example", "*.b.example", true},
		{"*.b.example", "*.c.example", false}, {"*.b.example:22", "*.b.example:80", false}, {"localhost:80", "localhost:80", true},
	} {
		d, err := policy.ParseDomain(c.denied)
		if err != nil || Unneeded(d, []string{c.allowed}) == c.want {
			t.Errorf("%s takes away of %s: %t, %v", c.denied, c.allowed, !c.want, err)
		}
	}
}
