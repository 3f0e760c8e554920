package hosts_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A name is asked for with what it leads to.
func TestHostLeads(t *testing.T) {
	p := parsed(t, document)
	own := []netip.Addr{netip.MustParseAddr("203.0.113.1")}
	for _, c := range []struct{ found, by, flags, patch string }{
		{"203.0.113.2", "/network/allowedDomains/0", "-", ""},
		{"10.0.0.9 203.0.113.2", "/network/allowedDomains/0", "-", ""},
		{"10.0.0.5", "/network/allowedDomains/0", "-", ""}, // an entry itself
		{"10.0.0.9", "!/network/allowPrivate", "--allow-private", "add /network/allowPrivate"},
		{"10.0.0.9 169.254.169.254", "!/network/allowPrivate", "--allow-private", "add /network/allowPrivate"},
		{"169.254.169.254", "!default", "-", ""},
		{"203.0.113.1", "!default", "-", ""},
		{"192.0.2.9", "!/network/deniedDomains/4", "-", "remove /network/deniedDomains/4"},
		{"::ffff:10.0.0.9", "!default", "-", ""},
		{"192.0.2.9 10.0.0.9", "!/network/deniedDomains/4", "--allow-private", "add /network/allowPrivate"}, // the denial stays
	} {
		m := hosts.Machine{Own: own}
		for text := range strings.SplitSeq(c.found, " ") {
			m.Found = append(m.Found, netip.MustParseAddr(text))
		}
		a := m.Host(&p, "api.acme.dev", 443)
		asking{host: "api.acme.dev", port: 443, by: c.by, flags: c.flags, patch: c.patch}.hold(t, document, a)
		private := slices.Contains(a.Opens, "the server can be led to private addresses by every allowed name")
		if private != (c.flags == "--allow-private") {
			t.Errorf("%s opens %q", c.found, a.Opens)
		}
	}
	if a := (hosts.Machine{Own: own}).Host(&p, "203.0.113.1", 443); a.Allowed != order.ActDenied || a.Patch != nil || !strings.Contains(a.Text, "of the host itself") {
		t.Errorf("%+v", a)
	}
}

// The owner of a name has no denial proposed for removal by one address of the name among others.
func TestHostLeadsToDenied(t *testing.T) {
	p := parsed(t, `{"version":1,"network":{"allowedDomains":["api.acme.dev"],"deniedDomains":["192.0.2.9"]}}`)
	m := hosts.Machine{Found: []netip.Addr{netip.MustParseAddr("203.0.113.2"), netip.MustParseAddr("192.0.2.9")}}
	a := m.Host(&p, "tool.example", 443)
	if want := []string{"--allow-domain", "tool.example:443"}; !slices.Equal(a.Flags, want) || len(a.Patch) != 1 || a.Patch[0].Op != "add" {
		t.Errorf("%q, %+v", a.Flags, a.Patch)
	}
}

// A name leads to an address that is closed on one port alone.
func TestHostLeadsOnOnePort(t *testing.T) {
	const document = `{"version":1,"network":{"allowedDomains":["api.acme.dev","10.0.0.9:443"],"deniedDomains":["192.0.2.8:443"]}}`
	p := parsed(t, document)
	for _, c := range []struct {
		found          string
		port           uint16
		by, flags, ops string
	}{
		{"192.0.2.8", 80, "/network/allowedDomains/0", "-", ""},
		{"192.0.2.8", 443, "!/network/deniedDomains/0", "-", "remove /network/deniedDomains/0"},
		{"192.0.2.8", 0, "!/network/deniedDomains/0", "-", "remove /network/deniedDomains/0"},
		{"10.0.0.9", 443, "/network/allowedDomains/0", "-", ""},
		{"10.0.0.9", 80, "!/network/allowPrivate", "--allow-private", "add /network/allowPrivate"},
		{"10.0.0.9", 0, "!/network/allowPrivate", "--allow-private", "add /network/allowPrivate"},
	} {
		m := hosts.Machine{Found: []netip.Addr{netip.MustParseAddr(c.found)}}
		a := m.Host(&p, "api.acme.dev", c.port)
		asking{host: "api.acme.dev", port: c.port, by: c.by, flags: c.flags, patch: c.ops}.hold(t, document, a)
	}
}
