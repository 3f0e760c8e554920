package hosts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

func TestVariable(t *testing.T) {
	const document = `{"version":1,"env":{"SET":"s","a/b~c":"x","TOKEN":"t"},"envVars":["ONE","ACME_*","PATH","TOKEN"],
		"network":{"allowedDomains":["a.dev"],"allowUnixSockets":["/run/x","$SSH_AUTH_SOCK"]}}`
	env := []string{"HOME=/h", "PATH=/bin", "ONE=1", "ACME_KEY=k", "ACME=", "LC_ALL=C", "SSH_AUTH_SOCK=/run/agent", "OTHER=o", "API_KEY=k",
		"LD_PRELOAD=/x.so", "HTTPS_PROXY=http://p:1", "TOKEN=mine", "EMPTY="}
	for _, c := range []struct {
		name, by string // of a denial behind a "!"
		reason   order.Reason
		opens    string // a part
		text     string
	}{
		{"SET", "/env/SET", "", "", "SET is set at /env/SET"},
		{"TOKEN", "/env/TOKEN", "", "", ""}, // beats the one that is forwarded
		{"a/b~c", "/env/a~1b~0c", "", "", ""},
		{"ONE", "/envVars/0", "", "", "ONE is forwarded at /envVars/0"},
		{"ACME_KEY", "/envVars/1", "", "", ""},
		{"PATH", "default", "", "", "PATH is forwarded by default"},
		{"LC_ALL", "default", "", "", ""},
		{"HOME", "default", "", "", "HOME is set by the launch: the home that the server has"},
		{"SSH_AUTH_SOCK", "/network/allowUnixSockets/1", "", "", ""},
		{"OTHER", "!default", order.ByPolicy, "", "OTHER is not forwarded: no entry of envVars names the variable"},
		{"ACME", "!default", order.ByPolicy, "", ""},
		{"EMPTY", "!default", order.ByPolicy, "", ""},
		{"API_KEY", "!default", order.ByPolicy, "looks like a secret", ""},
		{"LD_PRELOAD", "!default", order.ByPolicy, "the server's programs execute", ""},
		{"HTTPS_PROXY", "!default", order.ByPolicy, "what that proxy does", ""},
		{"ACME_URL", "!default", order.ByMissing, "", "ACME_URL is not set where the launcher starts: --env ACME_URL=VALUE sets one"},
		{"LC_TIME", "!default", order.ByMissing, "", ""},
		{"", "!default", order.ByPolicy, "", "a name is empty"},
		{"A=B", "!default", order.ByPolicy, "", ""},
		{"A\x1b[2J", "!default", order.ByPolicy, "", ""},
		{"ACME_*", "!default", order.ByPolicy, "", "ACME_* is a pattern: ask about one name"},
		{"SOME_*", "!default", order.ByPolicy, "", "SOME_* is a pattern: ask about one name"},
	} {
		p := parsed(t, document)
		a := hosts.Variable(&p, env, c.name)
		by, denied := strings.CutPrefix(c.by, "!")
		if a.By != by || (a.Allowed == order.ActDenied) != denied || a.Reason != c.reason || c.text != "" && a.Text != c.text || strings.Contains(a.Text, "\x1b") ||
			c.opens == "" && a.Opens != nil || !strings.Contains(strings.Join(a.Opens, "|"), c.opens) {
			t.Errorf("%s: %+v", c.name, a)
		}
		if a.Patch == nil {
			continue
		}
		fitted, _, err := hosts.Fit([]byte(document), a.Patch)
		patch, err2 := json.Marshal(fitted)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		changed := parsed(t, apply(t, document, string(patch)))
		if again := hosts.Variable(&changed, env, c.name); again.Allowed != order.ActAllowed || strings.Join(a.Flags, " ") != "--env "+c.name {
			t.Errorf("%s: %s, %q: %+v", c.name, patch, a.Flags, again)
		}
	}
}

// An order has the path in place of the agent's entry, and the variable among those that are forwarded.
func TestVariableOfAgent(t *testing.T) {
	env := []string{"SSH_AUTH_SOCK=/home/a/agent"}
	p, err := parsed(t, `{"version":1,"envVars":["ONE"],"network":{"allowUnixSockets":["/home/a/other","$SSH_AUTH_SOCK"]}}`).WithAgent(env)
	if err != nil {
		t.Fatal(err)
	}
	if a := hosts.Variable(&p, env, "SSH_AUTH_SOCK"); a.By != "/network/allowUnixSockets/1" {
		t.Errorf("%+v", a)
	}
}

// Levels network and privileged.
func TestVariableLevels(t *testing.T) {
	env := []string{"HTTPS_PROXY=x", "OTHER=o"}
	for level, want := range map[string]string{"network": "HTTPS_PROXY HOME", "privileged": "", "standard": "HOME"} {
		p := parsed(t, `{"version":1,"level":"`+level+`"}`)
		var got []string
		for _, name := range []string{"HTTPS_PROXY", "HOME", "OTHER"} {
			if a := hosts.Variable(&p, env, name); a.Allowed == order.ActAllowed {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", level, got)
		}
	}
}

// What a level forwards by itself needs no entry.
func TestVariableOfLevelNetwork(t *testing.T) {
	p := parsed(t, `{"version":1,"level":"network","envVars":["HTTPS_PROXY"]}`)
	if a := hosts.Variable(&p, []string{"HTTPS_PROXY=x"}, "HTTPS_PROXY"); a.By != "default" {
		t.Errorf("%+v", a)
	}
}

// A policy may set HOME itself, and a proxy's address may hold a password.
func TestVariableOfAPolicyWithoutHosts(t *testing.T) {
	p := parsed(t, `{"version":1,"env":{"HOME":"/x"}}`)
	if a := hosts.Variable(&p, []string{"HOME=/h"}, "HOME"); a.By != "/env/HOME" || a.Text != "HOME is set at /env/HOME" {
		t.Errorf("%+v", a)
	}
	a := hosts.Variable(&p, []string{"http_proxy=http://u:p@h"}, "http_proxy")
	if len(a.Opens) != 1 || !strings.Contains(a.Opens[0], "password") {
		t.Errorf("%+v", a)
	}
}
