package hosts_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// document is a policy with every kind of entry.
const document = `{"version":1,"network":{
	"allowedDomains":["api.acme.dev","db.acme.dev:5432","*.star.dev","deep.star.dev:7","192.0.2.7:22","10.0.0.5","localhost:3000","[2001:db8::7]:22","half.dev:80","shut.dev:9"],
	"deniedDomains":["bad.star.dev","*.off.star.dev","half.dev:443","shut.dev:9","192.0.2.9"],
	"publish":["8080:4000"]}}`

// An asking is a question and what the answer has to be.
type asking struct {
	host  string
	port  uint16
	by    string // of a denial behind a "!"
	flags string // joined by spaces; "-" for none
	patch string // its operations and paths
	text  string
}

var askings = [...]asking{
	{"api.acme.dev", 0, "/network/allowedDomains/0", "-", "", "api.acme.dev ports 80 and 443 are allowed at /network/allowedDomains/0"},
	{"API.Acme.dev.", 443, "/network/allowedDomains/0", "-", "", "api.acme.dev port 443 is allowed at /network/allowedDomains/0"},
	{"db.acme.dev", 6432, "!/network/allowedDomains/1", "--allow-domain db.acme.dev:6432", "add /network/allowedDomains/-",
		"db.acme.dev is allowed at /network/allowedDomains/1 for port 5432 only"},
	{"db.acme.dev", 0, "!/network/allowedDomains/1", "--allow-domain db.acme.dev", "add /network/allowedDomains/-", "db.acme.dev is allowed at /network/allowedDomains/1 for port 5432 only"},
	{"other.dev", 0, "!default", "--allow-domain other.dev", "add /network/allowedDomains/-", "other.dev ports 80 and 443 are not allowed: no entry of allowedDomains names other.dev"},
	{"star.dev", 443, "!default", "--allow-domain star.dev:443", "add /network/allowedDomains/-", ""},
	{"a.b.star.dev", 80, "/network/allowedDomains/2", "-", "", ""},
	{"deep.star.dev", 7, "/network/allowedDomains/3", "-", "", ""},
	{"deep.star.dev", 8, "!/network/allowedDomains/3", "--allow-domain deep.star.dev:8", "add /network/allowedDomains/-", "deep.star.dev is allowed at /network/allowedDomains/3 for ports 7, 80 and 443 only"},
	{"bad.star.dev", 443, "!/network/deniedDomains/0", "-", "remove /network/deniedDomains/0", "bad.star.dev port 443 is denied at /network/deniedDomains/0"},
	{"bad.star.dev", 22, "!/network/deniedDomains/0", "-", "remove /network/deniedDomains/0, add /network/allowedDomains/-", "bad.star.dev port 22 is denied at /network/deniedDomains/0"},
	{"x.off.star.dev", 443, "!/network/deniedDomains/1", "-", "remove /network/deniedDomains/1", ""},
	{"half.dev", 0, "!/network/deniedDomains/2", "-", "remove /network/deniedDomains/2, add /network/allowedDomains/-", "half.dev port 443 is denied at /network/deniedDomains/2"},
	{"half.dev", 80, "/network/allowedDomains/8", "-", "", ""},
	{"shut.dev", 8, "!/network/allowedDomains/9", "--allow-domain shut.dev:8", "add /network/allowedDomains/-", "shut.dev port 8 is not allowed: /network/allowedDomains/9 is for another port, and that is denied"},
	{"192.0.2.7", 22, "/network/allowedDomains/4", "-", "", ""},
	{"::ffff:192.0.2.7", 22, "/network/allowedDomains/4", "-", "", "192.0.2.7 port 22 is allowed at /network/allowedDomains/4"},
	{"[192.0.2.7]", 22, "!default", "-", "", `"[192.0.2.7]" has no IPv6 address in its brackets`},
	{"192.0.2.7", 23, "!/network/allowedDomains/4", "--allow-domain 192.0.2.7:23", "add /network/allowedDomains/-", ""},
	{"192.0.2.9", 80, "!/network/deniedDomains/4", "-", "remove /network/deniedDomains/4, add /network/allowedDomains/-", ""},
	{"64:ff9b::192.0.2.9", 80, "!/network/deniedDomains/4", "-", "", ""}, // an embedded address is no entry
	{"10.0.0.5", 443, "/network/allowedDomains/5", "-", "", ""},
	{"10.0.0.6", 443, "!default", "--allow-domain 10.0.0.6:443", "add /network/allowedDomains/-", ""},
	{"[2001:db8::7]", 22, "/network/allowedDomains/7", "-", "", ""},
	{"2001:db8::8", 22, "!default", "--allow-domain [2001:db8::8]:22", "add /network/allowedDomains/-", ""},
	{"2001:db8::8", 0, "!default", "--allow-domain 2001:db8::8", "add /network/allowedDomains/-", ""},
	{"localhost", 3000, "/network/allowedDomains/6", "-", "", ""},
	{"127.0.0.1", 3000, "/network/allowedDomains/6", "-", "", ""},
	{"[::1]", 3000, "/network/allowedDomains/6", "-", "", ""},
	{"ip6-localhost", 3000, "/network/allowedDomains/6", "-", "", "::1 port 3000 is allowed at /network/allowedDomains/6"},
	{"IP6-loopback.", 3001, "!/network/allowedDomains/6", "--allow-domain localhost:3001", "add /network/allowedDomains/-", ""},
	{"127.0.0.1", 3001, "!/network/allowedDomains/6", "--allow-domain localhost:3001", "add /network/allowedDomains/-", ""},
	{"localhost", 0, "!/network/allowedDomains/6", "--allow-domain localhost:80 --allow-domain localhost:443", "add /network/allowedDomains/-, add /network/allowedDomains/-", ""},
	{"169.254.169.254", 80, "!default", "-", "", "169.254.169.254 is a metadata address, which nothing opens"},
	{"224.0.0.1", 80, "!default", "-", "", ""},
	{"240.0.0.1", 80, "!default", "-", "", ""},
	{"fe80::1%eth0", 80, "!default", "-", "", ""},
	{"x.localhost", 80, "!default", "-", "", ""},
	{"api.acme.dev", 53, "!/network/allowedDomains/0", "-", "", `api.acme.dev is allowed at /network/allowedDomains/0 for ports 80 and 443 only; nothing opens that: "api.acme.dev:53" has port 53: the sandbox answers DNS itself, and opens no other`},
	{"api.acme.dev", 4000, "!/network/allowedDomains/0", "-", "", "api.acme.dev is allowed at /network/allowedDomains/0 for ports 80 and 443 only; nothing can be added: /network/publish/0 has port 4000 of the server"},
	{"127.1", 80, "!default", "-", "", ""},
	{"https://api.acme.dev/", 443, "!default", "-", "", ""},
	{"bücher.dev", 443, "!default", "-", "", ""},
	{"a\x1b[31m.dev", 443, "!default", "-", "", ""},
	{"", 443, "!default", "-", "", ""},
	{"*.star.dev", 443, "!default", "-", "", ""},
	{strings.Repeat("a.", 200) + "dev", 443, "!default", "-", "", ""},
}

func TestHost(t *testing.T) {
	p := parsed(t, document)
	for _, c := range askings {
		c.hold(t, document, hosts.Host(&p, c.host, c.port))
	}
	if t.Failed() {
		return
	}
	for _, level := range []policy.Level{policy.LevelNetwork, policy.Privileged} {
		a := hosts.Host(&policy.Policy{Level: level}, "169.254.169.254", 80)
		if a.Allowed != order.ActAllowed || a.By != "/level" {
			t.Errorf("%+v", a)
		}
	}
	a := hosts.Host(&policy.Policy{Level: policy.Strict}, "a.dev", 80)
	if a.By != "default" || len(a.Flags) != 2 || !strings.Contains(a.Text, "no network") {
		t.Errorf("%+v", a)
	}
}

// hold holds an answer against what is wanted, and carries the proposal out.
func (c asking) hold(t *testing.T, document string, a order.Answer) {
	t.Helper()
	by, denied := strings.CutPrefix(c.by, "!")
	var ops []string
	for _, p := range a.Patch {
		ops = append(ops, p.Op+" "+p.Path)
	}
	flags := strings.Join(a.Flags, " ")
	if flags == "" {
		flags = "-"
	}
	if a.By != by || (a.Allowed == order.ActDenied) != denied || (a.Reason == order.ByPolicy) != denied || flags != c.flags ||
		strings.Join(ops, ", ") != c.patch || c.text != "" && a.Text != c.text || strings.ContainsAny(a.Text, "\x1b\n") {
		t.Errorf("%q port %d: %+v", c.host, c.port, a)
	}
	if a.Patch == nil {
		return
	}
	fitted, _, err := hosts.Fit([]byte(document), a.Patch)
	patch, err2 := json.Marshal(fitted)
	if err != nil || err2 != nil {
		t.Fatal(c.host, err, err2)
	}
	changed := parsed(t, apply(t, document, string(patch)))
	if again := hosts.Host(&changed, c.host, c.port); again.Allowed != order.ActAllowed {
		t.Errorf("%s port %d: %s: %+v", c.host, c.port, patch, again)
	}
}

func parsed(t *testing.T, document string) policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return p
}

// What a proposal opens besides.
func TestHostOpens(t *testing.T) {
	p := parsed(t, document)
	for _, c := range []struct {
		host string
		port uint16
		want string // of each sentence a part
	}{
		{"other.dev", 443, ""},
		{"other.dev", 26, ""}, // no server can listen there
		{"me.github.io", 443, "anybody can have one below github.io"},
		{"github.io", 443, "anybody can have one below github.io"},
		{"x.s3.amazonaws.com", 443, "can leave what it knows to the strangers who have accounts there"},
		{"github.com", 443, "can leave what it knows to the strangers who have accounts there"},
		{"a.webhook.site", 443, "made for leaving there what anybody can fetch"},
		{"localhost", 2375, "Docker|listen at port 2375 itself"},
		{"10.0.0.6", 443, "led to 10.0.0.6, a private address"},
		{"localhost", 3001, "whatever program listens at port 3001|listen at port 3001 itself"},
		{"localhost", 80, "whatever program listens at port 80"},
		{"other.dev", 8443, "listen at port 8443 itself"},
		{"bad.star.dev", 443, "whatever else bad.star.dev takes away from"},
	} {
		a := hosts.Host(&p, c.host, c.port)
		parts := strings.Split(c.want, "|")
		if c.want == "" {
			parts = nil
		}
		if len(parts) != len(a.Opens) {
			t.Errorf("%s port %d: %q", c.host, c.port, a.Opens)
			continue
		}
		for i, part := range parts {
			if !strings.Contains(a.Opens[i], part) {
				t.Errorf("%s port %d: %q", c.host, c.port, a.Opens)
			}
		}
	}
}

// A policy with as many ports as there can be takes no entry with another one.
func TestHostOfAFullPolicy(t *testing.T) {
	n := policy.Network{}
	for port := range 128 {
		n.AllowedDomains = append(n.AllowedDomains, "a.dev:"+strconv.Itoa(1000+port))
	}
	p := policy.Policy{Network: n}
	if a := hosts.Host(&p, "b.dev", 1000); a.Patch == nil || a.Flags == nil {
		t.Errorf("%+v", a)
	}
	a := hosts.Host(&p, "b.dev", 999)
	if a.Patch != nil || a.Flags != nil || a.Opens != nil || !strings.Contains(a.Text, "nothing can be added: /network/allowedDomains: has 129 different ports") {
		t.Errorf("%+v", a)
	}
}

// Of several entries that open a port the narrowest is named, wherever it stands.
func TestHostNarrowest(t *testing.T) {
	for entries, want := range map[string]string{
		"*.star.dev a.b.star.dev *.b.star.dev": "1", "a.b.star.dev *.star.dev": "0", "*.star.dev *.b.star.dev": "1", "*.b.star.dev *.star.dev": "0",
	} {
		p := policy.Policy{Network: policy.Network{AllowedDomains: strings.Fields(entries)}}
		for _, port := range []uint16{443, 8443} {
			if a := hosts.Host(&p, "a.b.star.dev", port); a.By != "/network/allowedDomains/"+want {
				t.Errorf("%s: %+v", entries, a)
			}
		}
	}
}
