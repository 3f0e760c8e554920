package egress

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A name for which no entry would help is told with the one that does: localhost where the hosts file leads to this
// machine, the full name where a search list completes it to one that is allowed.
func TestMeantNames(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return at
	}
	var said []order.Denied
	e, err := New(Config{Tally: &tally.Tally{Report: func(d *order.Denied) { said = append(said, *d) }},
		Network: policy.Network{AllowedDomains: []string{"svc.ns.svc.cluster.local", "short", "*.lan.test"}, DeniedDomains: []string{"shut.test"}},
		Resolve: resolve.Config{Hosts: write("hosts", "127.0.0.1 dev.test shut.test\n::1 dev.test six.test\n203.0.113.9 far.test\n127.0.0.1 both.test\n203.0.113.9 both.test\n"),
			Resolv: write("resolv.conf", "search none.test\nsearch ns.svc.cluster.local lan.test\n")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	e.Begin()
	for name, want := range map[string][2]string{ // asked, flag
		"dev.test": {"localhost", ""}, "six.test": {"localhost", ""}, "shut.test": {"", ""},
		"far.test": {"", "--allow-domain far.test"}, "both.test": {"", "--allow-domain both.test"},
		"svc": {"svc.ns.svc.cluster.local", ""}, "printer": {"printer.lan.test", ""}, "svc.ns": {"", "--allow-domain svc.ns"},
	} {
		said = nil
		if e.denials.name(name, e.meant(name)); len(said) != 1 || said[0].Host != name || said[0].Asked != want[0] || said[0].Flag != want[1] {
			t.Errorf("%s: %+v, want %q", name, said, want)
		}
	}
	found := 0
	for range 1000 {
		if e.meant("dev.test") != "" {
			found++
		}
	}
	if found == 0 || found > 2*meantAtOnce {
		t.Errorf("the hosts file was searched %d times at once", found)
	}
	said = nil
	q := questions{engine: e}
	if q.missing("short"); len(said) != 1 || said[0].Kind != order.DeniedUpstream || said[0].Errno != errSearched.Error() {
		t.Errorf("%+v", said)
	}
	said = nil
	if q.missing("long.test"); len(said) != 0 {
		t.Errorf("%+v", said)
	}
}
