package hosts_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

var (
	randomHosts = strings.Fields("a.dev b.a.dev c.b.a.dev d.net x.d.net 192.0.2.1 10.0.0.1 2001:db8::1 localhost")
	randomStars = strings.Fields("*.a.dev *.b.a.dev *.d.net")
	randomPorts = []uint16{0, 7, 80, 443, 3000}
)

func randomEntries(r *rand.Rand, most int) (all []string) {
	for range r.IntN(most + 1) {
		host, port := randomHosts[r.IntN(len(randomHosts))], randomPorts[r.IntN(len(randomPorts))]
		if r.IntN(3) == 0 {
			host = randomStars[r.IntN(len(randomStars))]
		}
		if host == "localhost" && port == 0 {
			port = 3000
		}
		switch {
		case port == 0:
		case strings.Contains(host, "::"):
			host = "[" + host + "]:" + strconv.Itoa(int(port))
		default:
			host += ":" + strconv.Itoa(int(port))
		}
		all = append(all, host)
	}
	return all
}

// What is proposed opens what was asked, as a patch of the document and as flags, and what is said to decide does.
func TestProposals(t *testing.T) {
	proposed, flagged := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(9, seed))
		network := map[string]any{}
		for _, key := range []string{"allowedDomains", "deniedDomains"} {
			if list := randomEntries(r, 5); list != nil || r.IntN(2) == 0 {
				network[key] = list // null, too
			}
		}
		all := map[string]any{"version": 1}
		if r.IntN(3) > 0 || len(network) > 0 {
			all["network"] = network
		}
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		p := parsed(t, text)
		for _, host := range randomHosts {
			for _, port := range randomPorts {
				a := hosts.Host(&p, host, port)
				pointed(t, &p, a)
				if a.Allowed == order.ActAllowed {
					continue
				}
				if a.Patch == nil {
					t.Fatalf("%s: nothing opens %s %d: %+v", text, host, port, a)
				}
				proposed++
				by := asking{host: host, port: port, by: "!" + a.By, flags: strings.Join(a.Flags, " "), patch: patchText(a)}
				if a.Flags == nil {
					by.flags = "-"
				} else {
					flagged++
					withFlags(t, p, a, host, port)
				}
				by.hold(t, text, a)
			}
		}
	}
	t.Logf("%d proposals, %d of them as flags too", proposed, flagged)
	if proposed < 1000 || flagged < 800 {
		t.Error("too few")
	}
}

func patchText(a order.Answer) string {
	var ops []string
	for _, p := range a.Patch {
		ops = append(ops, p.Op+" "+p.Path)
	}
	return strings.Join(ops, ", ")
}

// withFlags sets what the flags say.
func withFlags(t *testing.T, p policy.Policy, a order.Answer, host string, port uint16) {
	t.Helper()
	for i := 0; i < len(a.Flags); i += 2 {
		if a.Flags[i] != "--allow-domain" {
			t.Fatalf("%+v", a)
		}
		if err := p.Set("network.allowedDomains", a.Flags[i+1]); err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("%+v: %v", a, err)
	}
	if again := hosts.Host(&p, host, port); again.Allowed != order.ActAllowed {
		t.Errorf("%+v: %+v", a, again)
	}
}

// pointed demands that the entry that is said to decide is there, and of a list that fits the answer.
func pointed(t *testing.T, p *policy.Policy, a order.Answer) {
	t.Helper()
	list, position := p.Network.AllowedDomains, strings.TrimPrefix(a.By, "/network/allowedDomains/")
	if rest, denied := strings.CutPrefix(a.By, "/network/deniedDomains/"); denied {
		list, position = p.Network.DeniedDomains, rest
		if a.Allowed == order.ActAllowed {
			t.Errorf("%+v", a)
		}
	}
	i, err := strconv.Atoi(position)
	if a.By == "default" && a.Allowed == order.ActDenied {
		return
	}
	if err != nil || i >= len(list) || !strings.Contains(a.Text, a.By) {
		t.Errorf("%+v", a)
	}
}
