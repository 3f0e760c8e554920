package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

const home = "/home/ann"

// of explains a document in a folder of ann's.
func of(t testing.TB, doc string) Explanation {
	t.Helper()
	p, err := policy.Parse([]byte(doc))
	if err == nil {
		p, err = p.Absolute(home+"/work", home)
	}
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return Of(p, policy.Run, home)
}

func textOf(e Explanation) string {
	var b strings.Builder
	for _, l := range e.Lines {
		said := "  "
		if l.Default {
			said = "* "
		}
		b.WriteString(said + l.Verdict.String() + " " + l.Pointer + " " + l.Text + "\n")
	}
	b.WriteString(e.Verdict.String() + "\n")
	return b.String()
}

// samples are values of the keys. A new key needs one here, and a sentence.
var samples = map[string]string{
	"level": "network", "minConfinement": "full", "filesystem.default": "read", "filesystem.allowRead": "/srv",
	"filesystem.denyRead": "/srv/a", "filesystem.allowWrite": "/srv", "filesystem.denyWrite": "/srv/a",
	"filesystem.tmpSize": "1M", "network.allowedDomains": "example.com", "network.deniedDomains": "example.com",
	"network.allowPrivate": "true", "network.checkServerName": "false", "network.allowUnixSockets": "/srv/socket",
	"network.publish": "8080:3000", "subprocess.allow": "false", "env": "A=b", "envVars": "A", "limits.cpu": "2",
	"limits.memory": "1G", "limits.addressSpace": "1G", "limits.pids": "8", "limits.openFiles": "64",
	"limits.fileSize": "1M", "limits.io": "1M", "limits.timeout": "1m", "limits.grace": "1s",
	"onStdinClose": "ignore", "onHostExit": "ignore", "seccomp.deny": "bpf", "umask": "022", "state": "acme",
	"cwd": "/srv", "user": "1000:1000",
}

// Each key of a policy has a sentence about its value, at the key's own place, and each key is in the table once.
func TestEveryKeyHasASentence(t *testing.T) {
	var table []string
	for _, s := range sentences {
		table = append(table, strings.Fields(s.keys)...)
	}
	for _, key := range policy.Keys() {
		if n := len(slices.DeleteFunc(slices.Clone(table), func(k string) bool { return k != key })); n != 1 {
			t.Errorf("%s is %d times in the table of sentences", key, n)
		}
		said := func(p policy.Policy) bool {
			at := "/" + strings.ReplaceAll(key, ".", "/")
			return slices.ContainsFunc(Of(p, policy.Run, home).Lines, func(l Line) bool {
				return !l.Default && (l.Pointer == at || strings.HasPrefix(l.Pointer, at+"/"))
			})
		}
		var p policy.Policy
		if said(p) {
			t.Errorf("%s: a sentence about the zero policy counts as the policy's own", key)
		}
		if err := p.Set(key, samples[key]); err != nil {
			t.Errorf("%s: %q is no sample: %v", key, samples[key], err)
			continue
		}
		if !said(p) {
			t.Errorf("%s: no sentence about %s", key, samples[key])
		}
		if p.Level == "" { // a level that confines nothing is told of each key that then is idle
			if p.Level = policy.Privileged; p.Validate() == nil && !said(p) {
				t.Errorf("%s: no sentence in level privileged", key)
			}
		}
	}
	if len(table) != len(policy.Keys()) {
		t.Errorf("the table has %d keys, a policy %d", len(table), len(policy.Keys()))
	}
}

// The texts are lines, whatever the policy holds; values of variables are in none of them.
func TestTexts(t *testing.T) {
	long := strings.Repeat("x", 4000)
	e := of(t, `{"version": 1, "env": {"API_KEY": "hunter2", "B": "hunter2"}, "envVars": ["`+long+`"],
		"filesystem": {"allowRead": ["/srv/`+long+`", "/a\n\u001b[31mb\u202e"]}}`)
	for _, l := range e.Lines {
		if strings.Contains(l.Text, "hunter2") || strings.Contains(l.Pointer, "hunter2") {
			t.Errorf("a value of a variable: %+v", l)
		}
		if n := len(l.Text); n > 600 {
			t.Errorf("%d bytes: %s", n, l.Text)
		}
	}
}

func TestVerdictWords(t *testing.T) {
	for i, want := range []string{"safe", "note", "wide", "dangerous"} {
		if v := Verdicts()[i]; v.String() != want || v.Means() == "" {
			t.Errorf("%d is %s: %s", i, v, v.Means())
		}
	}
}
