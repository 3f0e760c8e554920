package asked_test

import (
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// variableNames are set or not, forwarded by default or not, those of loaders, proxies and of the launch itself.
var variableNames = strings.Fields("HOME PATH USER LOGNAME SHELL TERM LANG LC_ALL LC_TIME LC TZ NODE_EXTRA_CA_CERTS SSL_CERT_DIR " +
	"HTTP_PROXY HTTPS_PROXY NO_PROXY https_proxy all_proxy ftp_proxy LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS BASH_ENV PYTHONPATH " +
	"ACME_TOKEN ACME_URL ACME ACMETOKEN NOTION_API_KEY NOTION_ PATHS path TMPDIR XDG_CACHE_HOME SSH_AUTH_SOCK SSH_AGENT_PID PWD MAIL a.b/c~d")

// What is answered about a variable is whether the server has it, under random policies and under those with which the
// answers propose to hand everything on.
func TestAnswersAboutVariables(t *testing.T) {
	rows, has := 0, 0
	count := func(n, with int) { rows, has = rows+n, has+with }
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(3, seed))
		env := host.Env(t)
		for _, name := range variableNames {
			if r.IntN(3) > 0 && !slices.Contains([]string{"HOME", "PATH", "SSH_AUTH_SOCK"}, name) {
				env = append(env, name+"="+valueOf(name))
			}
		}
		socket := filepath.Join(testbed.Folder(t), "agent")
		l, err := net.Listen("unix", socket)
		if err == nil {
			defer l.Close()
			err = os.Chmod(socket, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
		document := variablePolicy(t, r)
		after := compareVariables(t, document, append(env, "SSH_AUTH_SOCK="+socket), count)
		if after != document {
			compareVariables(t, after, append(env, "SSH_AUTH_SOCK="+socket), count)
		}
	}
	if t.Logf("%d rows, %d of them with the variable", rows, has); rows < 400 || has < 100 || has > rows-100 {
		t.Error("too few")
	}
}

// valueOf is a value with which a launch starts.
func valueOf(name string) string {
	if strings.HasSuffix(strings.ToLower(name), "_proxy") {
		return "http://127.0.0.1:1"
	}
	return "/nowhere"
}

// variablePolicy sets some of the names, and forwards some, by themselves or by a pattern.
func variablePolicy(t *testing.T, r *rand.Rand) string {
	t.Helper()
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	env, names, sockets := map[string]string{}, []string{}, []string{}
	for range r.IntN(6) {
		if name := pick(variableNames...); name != "HOME" && !strings.HasPrefix(name, "LD_") {
			env[name] = "policy"
		}
		names = append(names, pick(append(variableNames, "ACME_*", "NOTION_*", "SSH_*", "LC_*")...))
	}
	if r.IntN(3) == 0 {
		sockets = append(sockets, "$SSH_AUTH_SOCK")
	}
	doc := map[string]any{"version": 1, "level": pick("standard", "strict", "network", "standard"), "network": map[string]any{"allowUnixSockets": sockets}}
	for key, value := range map[string]any{"env": env, "envVars": names} {
		if r.IntN(4) > 0 {
			doc[key] = value
		}
	}
	if r.IntN(3) == 0 && doc["level"] != "network" {
		doc["network"] = map[string]any{"allowedDomains": []string{"a.example.com"}}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// compareVariables launches a policy, and returns the document with which the server has all that answers would give it.
func compareVariables(t *testing.T, document string, env []string, count func(rows, has int)) (after string) {
	t.Helper()
	got, _ := launched(t, document, "[]", env)
	after = document
	with := 0
	for _, name := range variableNames {
		a := hosts.Variable(parsed(t, document), env, name)
		there := slices.ContainsFunc(got, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		if there != (a.Allowed == order.ActAllowed) || (a.Reason == order.ByMissing) == a.OnHost && !there {
			t.Errorf("%s: %s: %t, but %+v", document, name, there, a)
		}
		if there {
			with++
		}
		if a.Patch == nil {
			continue
		}
		_, changed, err := hosts.Fit([]byte(after), a.Patch)
		if err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		after = string(changed)
		if again := hosts.Variable(parsed(t, after), env, name); again.Allowed != order.ActAllowed {
			t.Errorf("%s: %+v", after, again)
		}
	}
	count(len(variableNames), with)
	return after
}
