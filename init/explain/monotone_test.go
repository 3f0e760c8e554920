package explain

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// wide and narrow paths and hosts, from which random policies are made.
var (
	somePaths = []string{"/etc", "/etc/nginx", "/home", home, home + "/.ssh", home + "/.ssh/config", home + "/.config",
		home + "/.config/gh", home + "/.config/autostart", home + "/.aws", home + "/.local", home + "/.local/bin",
		home + "/project", home + "/project/.git", home + "/project/.env", home + "/Documents", "/home/bob",
		"/home/bob/.ssh", "/root", "/usr", "/usr/local/bin", "/usr/share", "/var", "/var/lib", "/run", "/run/secrets/a",
		"/tmp", "/srv", "/srv/data", "/srv/.aws", "/var/home/ann", "/opt/x", "/opt/x/bin", "/usr/local/bin/x", "/mnt", "-" + home + "/.bashrc", "-" + home + "/.netrc", "-/srv/none"}
	someHosts = []string{"example.com", "api.example.com:8443", "*.example.com", "*.github.io", "me.github.io", "github.com",
		"github.com:22", "*.github.com", "docs.github.com", "webhook.site", "*.webhook.site", "a.webhook.site", "pastebin.com:443",
		"*.ngrok.io", "x.ngrok.io", "*.s3.amazonaws.com", "*.amazonaws.com", "localhost:2375", "localhost:80", "192.168.0.1",
		"192.0.2.1:22", "192.168.0.1:2375", "smtp.example.com:25", "db", "gist.github.com", "b.s3.amazonaws.com"}
	// stars are names, and a star that stands for each of them too.
	stars = map[string]string{"docs.github.com": "*.github.com", "gist.github.com": "*.github.com", "me.github.io": "*.github.io",
		"a.webhook.site": "*.webhook.site", "x.ngrok.io": "*.ngrok.io", "*.s3.amazonaws.com": "*.amazonaws.com",
		"b.s3.amazonaws.com": "*.amazonaws.com"}
	someSockets = []string{"$SSH_AUTH_SOCK", "/run/docker.sock", "/run/x", "-/tmp/ssh-1/agent.2"}
)

func pick(r *rand.Rand, from []string, most int) (list []string) {
	for range r.IntN(most + 1) {
		list = append(list, from[r.IntN(len(from))])
	}
	return list
}

// random is a policy, and half of the time a small one.
func random(r *rand.Rand) policy.Policy {
	if r.IntN(2) == 0 {
		return policy.Policy{Filesystem: policy.Filesystem{AllowRead: pick(r, somePaths, 1), DenyRead: pick(r, somePaths, 2)},
			Network: policy.Network{AllowedDomains: pick(r, someHosts, 1), DeniedDomains: pick(r, someHosts, 1)}}
	}
	p := policy.Policy{
		Level:          []policy.Level{"", policy.Strict, policy.Standard, policy.LevelNetwork}[r.IntN(4)],
		MinConfinement: []policy.Confinement{"", "", policy.Full, policy.Reduced}[r.IntN(4)],
		Filesystem: policy.Filesystem{AllowRead: pick(r, somePaths, 3), AllowWrite: pick(r, somePaths, 2),
			DenyRead: pick(r, somePaths, 4), DenyWrite: pick(r, somePaths, 3)},
	}
	if r.IntN(5) == 0 {
		p.Filesystem.Default = policy.Read
	}
	if p.Level != policy.LevelNetwork {
		p.Network.AllowedDomains, p.Network.DeniedDomains = pick(r, someHosts, 3), pick(r, someHosts, 3)
	}
	p.Network.AllowUnixSockets = pick(r, someSockets, 1)
	p.Network.AllowPrivate = r.IntN(4) == 0
	p.Network.CheckServerName = policy.Bool(r.IntN(3))
	return p
}

func plus(list []string, more ...string) []string { return append(slices.Clip(list), more...) }

// without takes one item away, if there are any.
func without(r *rand.Rand, list []string) []string {
	if len(list) == 0 {
		return nil
	}
	i := r.IntN(len(list))
	return slices.Delete(slices.Clone(list), i, i+1)
}

// wider is a policy that opens all that p does, and mostly more.
func wider(r *rand.Rand, p policy.Policy) policy.Policy {
	f, n := &p.Filesystem, &p.Network
	switch r.IntN(13) {
	case 0:
		f.AllowRead = plus(f.AllowRead, somePaths[r.IntN(len(somePaths))])
	case 1:
		f.AllowWrite = plus(f.AllowWrite, somePaths[r.IntN(len(somePaths))])
	case 2:
		f.AllowWrite = plus(f.AllowWrite, f.AllowRead...)
	case 3:
		f.DenyRead = without(r, f.DenyRead)
	case 4:
		f.DenyWrite = without(r, f.DenyWrite)
	case 5:
		f.Default = policy.Read
	case 6:
		if p.Level != policy.LevelNetwork {
			n.AllowedDomains = plus(n.AllowedDomains, someHosts[r.IntN(len(someHosts))])
		}
	case 7:
		n.DeniedDomains = without(r, n.DeniedDomains)
	case 8:
		n.AllowPrivate, n.CheckServerName = true, policy.No
	case 9:
		if p.Level == policy.Strict {
			p.Level = policy.Standard
		}
	case 10:
		p.Level, n.AllowedDomains, n.DeniedDomains = policy.LevelNetwork, nil, nil
	case 11:
		n.AllowUnixSockets = plus(n.AllowUnixSockets, someSockets[r.IntN(len(someSockets))])
	case 12:
		n.AllowedDomains = slices.Clone(n.AllowedDomains)
		for i, entry := range n.AllowedDomains {
			if star := stars[entry]; star != "" {
				n.AllowedDomains[i] = star
			}
		}
	}
	return p
}

// A policy that opens more never gets a milder verdict, and the same policy always gets the same lines.
func TestWiderIsNeverMilder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 6000
	if testing.Short() {
		n = 2000
	}
	milder := map[Verdict]int{}
	for range n {
		p := random(r)
		before := Of(p, policy.Run, home)
		if again := Of(p, policy.Run, home); !reflect.DeepEqual(again, before) {
			t.Fatalf("twice the same policy:\n%s%s", textOf(before), textOf(again))
		}
		q := p
		for range 1 + r.IntN(3) {
			q = wider(r, q)
		}
		after := Of(q, policy.Run, home)
		if after.Verdict < before.Verdict {
			t.Fatalf("%s became %s:\n%s%s", before.Verdict, after.Verdict, textOf(before), textOf(after))
		}
		milder[before.Verdict]++
	}
	for _, v := range Verdicts() {
		if milder[v] < n/100 && (v > Safe || runtime.GOOS == "linux") { // elsewhere a default is no longer safe
			t.Errorf("of %d policies only %d are %s: the test looks at too little", n, milder[v], v)
		}
	}
}

// Whatever a policy says there is an explanation of it, with a place and a text in each line.
func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"version": 1, "filesystem": {"allowRead": ["~", "/"]}}`), home)
	f.Add([]byte(`{"version": 1, "level": "privileged", "env": {"a\u001b": "b"}, "network": {"publish": ["[::1]:0:1"]}}`), "/")
	f.Add([]byte(`{"version": 1, "network": {"allowedDomains": ["*.github.io", "[2001:db8::1]:22"]}}`), "")
	f.Fuzz(func(t *testing.T, doc []byte, home string) {
		p, err := policy.Parse(doc)
		if err != nil {
			return
		}
		if absolute, err := p.Absolute("/base", home); err == nil {
			p = absolute
		}
		for _, l := range Of(p, policy.Init, home).Lines {
			if l.Pointer == "" || l.Pointer[0] != '/' || l.Text == "" {
				t.Fatalf("%+v", l)
			}
		}
	})
}
