package egress_test

import (
	"encoding/json"
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The command looks a name up, for an allowed name may lead where no launch connects to.
func TestWhyLooksUp(t *testing.T) {
	site := newSite(t, "public.why.example.com")
	for n, address := range map[string]string{"private.why.example.com": "10.99.0.250", "metadata.why.example.com": "169.254.169.254"} {
		know(t, n, name{Addresses: []netip.Addr{netip.MustParseAddr(address)}})
	}
	program := testbed.Command(t, "mcp-sandbox")
	for _, c := range []struct {
		host, proxy, by, flag string
		allowed               bool
	}{
		{host: site.Name, by: "/network/allowedDomains/0", allowed: true},
		{host: "private.why.example.com", by: "/network/allowPrivate", flag: "--allow-private"},
		{host: "metadata.why.example.com", by: "default"},
		{host: "private.why.example.com", proxy: "http://192.0.2.3:3128", by: "/network/allowedDomains/0", allowed: true},
	} {
		cmd := exec.Command(program, "why", "--json", "--allow-domain", "*.why.example.com:443", "--host", c.host+":443")
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "HTTPS_PROXY=" + c.proxy}
		text, _ := cmd.Output() // the status is 1 where the answer is no
		var a struct {
			Allowed bool
			By      string
			Flags   []string
		}
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatalf("%s: %v: %s", c.host, err, text)
		}
		if a.Allowed != c.allowed || a.By != c.by || c.flag != "" && (len(a.Flags) != 1 || a.Flags[0] != c.flag) || c.flag == "" && a.Flags != nil {
			t.Errorf("%s, proxy %q: %s", c.host, c.proxy, text)
		}
	}
	cmd := exec.Command(program, "why", "--allow-domain", "*.why.example.com", "--host", "nothing.why.example.com")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}
	if text, err := cmd.Output(); err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), "this machine finds no address") {
		t.Errorf("a name that does not exist: %v, %s", err, text)
	}
}
