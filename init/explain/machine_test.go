package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// This product's own folders, and the homes of other servers, are as dangerous as what is kept there.
func TestOwnFoldersAndHomes(t *testing.T) {
	const own, kept = home + "/.local/state/mcp-sandbox", "what mcp-sandbox keeps of all servers"
	m := Machine{Home: home, Own: []string{"/data/state/mcp-sandbox"}, Whose: func(state string) (string, bool) {
		return map[string]string{"acme": home + "/p/a.json", "npm-x": "npm:x"}[state], state == "acme"
	}}
	for _, c := range []struct {
		p       policy.Policy
		pointer string
		want    Verdict
		text    string
	}{
		{reads(own), "/filesystem/allowRead/0", Dangerous, kept}, {reads(own + "/state/acme"), "/filesystem/allowRead/0", Dangerous, kept},
		{reads(home + "/.config/mcp-sandbox/policies"), "/filesystem/allowRead/0", Dangerous, kept}, {reads(home + "/.local/share/mcp-sandbox/store"), "/filesystem/allowRead/0", Dangerous, kept},
		{reads("/data/state/mcp-sandbox/state"), "/filesystem/allowRead/0", Dangerous, kept}, {reads("/home/bob/.local/state/mcp-sandbox"), "/filesystem/allowRead/0", Dangerous, kept},
		{reads(home + "/.local/state"), "/filesystem/allowRead/0", Dangerous, "~/.local/state/mcp-sandbox"}, {reads("/data"), "/filesystem/allowRead/0", Dangerous, "/data/state/mcp-sandbox"},
		{reads(home+"/.local/state", own), "/filesystem/allowRead/0", Note, ""}, {reads("/data", "/data/state/mcp-sandbox"), "/filesystem/allowRead/0", Note, ""},
		{reads("/data", "/data/state/mcp-sandbox/state"), "/filesystem/allowRead/0", Dangerous, "/data/state/mcp-sandbox"},
		{reads(home + "/.local/state/mcp-sandboxes"), "/filesystem/allowRead/0", Note, ""}, {reads(home + "/src/mcp-sandbox"), "/filesystem/allowRead/0", Note, ""},
		{policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{"/data/state/mcp-sandbox/state/x"}}}, "/filesystem/allowWrite/0", Dangerous, kept},
		{policy.Policy{State: "acme"}, "/state", Dangerous, "has the home acme, which is that of ~/p/a.json"}, {policy.Policy{State: "npm-x"}, "/state", Wide, "which is that of npm:x"},
		{policy.Policy{State: "other"}, "/state", Note, "keeps its home"},
		{policy.Policy{State: "acme", Network: policy.Network{AllowedDomains: []string{"github.com"}}}, "/network/allowedDomains", Dangerous, "can give to strangers what it reads"},
	} {
		e := m.Explain(c.p, policy.Run)
		i := slices.IndexFunc(e.Lines, func(l Line) bool { return l.Pointer == c.pointer })
		if i < 0 || e.Lines[i].Verdict != c.want || !strings.Contains(e.Lines[i].Text, c.text) {
			t.Errorf("%+v: want %s %s %q:\n%s", c.p, c.want, c.pointer, c.text, textOf(e))
		}
	}
}

func reads(path string, but ...string) policy.Policy {
	return policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{path}, DenyRead: but}}
}

// Of two readings of a policy each entry has the higher verdict, and a lower one changes nothing.
func TestRaise(t *testing.T) {
	two := func(a, b string) policy.Policy {
		return policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{a, b}}}
	}
	e, other := Of(two(home+"/link", home+"/.ssh"), policy.Run, home), Of(two(home+"/.ssh", home+"/notes"), policy.Run, home)
	lines := len(e.Lines)
	e.Raise(&other, "; so")
	says := func(pointer, part string) bool {
		return slices.ContainsFunc(e.Lines, func(l Line) bool {
			return l.Pointer == pointer && l.Verdict == Dangerous && strings.Contains(l.Text, part)
		})
	}
	if len(e.Lines) != lines || !says("/filesystem/allowRead/0", "SSH keys; so") || !says("/filesystem/allowRead/1", "SSH keys") || e.Count(Dangerous) != 2 {
		t.Error(textOf(e))
	}
	together := two("/srv", home+"/.ssh")
	together.Network.AllowedDomains = []string{"github.com"}
	apart := together
	apart.Filesystem.AllowRead = []string{"/srv", "/opt"}
	e, other = Of(apart, policy.Run, home), Of(together, policy.Run, home)
	if e.Raise(&other, ""); e.Verdict != Dangerous || !says("/network/allowedDomains", "can give to strangers") || e.Lines[0].Verdict != Dangerous {
		t.Error(textOf(e))
	}
}

// A variable of a proxy opens what the proxy does, wherever there is a network.
func TestProxyVariables(t *testing.T) {
	for _, c := range []struct {
		doc, pointer string
		want         Verdict
		text         string
	}{
		{`"env": {"HTTPS_PROXY": "http://ann:mellon@proxy.example:3128"}, "network": {"allowedDomains": ["a.example"]}`, "/env/HTTPS_PROXY", Wide, "ask the proxy proxy.example:3128, which"},
		{`"env": {"all_proxy": "socks5://10.0.0.1:1080"}, "level": "network"`, "/env/all_proxy", Wide, "by the proxy 10.0.0.1:1080, which can read"},
		{`"env": {"HTTPS_PROXY": "http://proxy.example:3128"}`, "/env/HTTPS_PROXY", Note, "if there were a network"},
		{`"env": {"HTTPS_PROXY": ""}, "network": {"allowedDomains": ["a.example"]}`, "/env/HTTPS_PROXY", Safe, "set here"},
		{`"env": {"NO_PROXY": "*"}, "network": {"allowedDomains": ["a.example"]}`, "/env/NO_PROXY", Safe, "set here"},
		{`"env": {"npm_config_https_proxy": "http://proxy.example:3128"}, "network": {"allowedDomains": ["a.example"]}`, "/env/npm_config_https_proxy", Wide, "proxy.example:3128"},
		{`"env": {"NODE_USE_ENV_PROXY": "1"}, "network": {"allowedDomains": ["a.example"]}`, "/env/NODE_USE_ENV_PROXY", Safe, "set here"},
		{`"envVars": ["https_proxy"], "network": {"allowedDomains": ["a.example"]}`, "/envVars/0", Wide, "gets your https_proxy: programs ask the proxy that it names"},
		{`"envVars": ["HTTPS_*"], "network": {"allowedDomains": ["a.example"]}`, "/envVars/0", Wide, "the proxy that it names"},
		{`"envVars": ["HTTPS_X_*"], "network": {"allowedDomains": ["a.example"]}`, "/envVars/0", Note, "begin with HTTPS_X_"},
	} {
		e := of(t, `{"version": 1, `+c.doc+`}`)
		i := slices.IndexFunc(e.Lines, func(l Line) bool { return l.Pointer == c.pointer })
		if i < 0 || e.Lines[i].Verdict != c.want || !strings.Contains(e.Lines[i].Text, c.text) || strings.Contains(textOf(e), "mellon") {
			t.Errorf("%s: want %s %q:\n%s", c.doc, c.want, c.text, textOf(e))
		}
	}
}
