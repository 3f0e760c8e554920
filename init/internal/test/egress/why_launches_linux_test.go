package egress_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	why "github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What is answered about a host is what becomes of a connection to it, under random policies and under the policies that
// the answers propose.
func TestAnswersAboutHosts(t *testing.T) { both(t, testAnswersAboutHosts) }

func testAnswersAboutHosts(t *testing.T, in confinement) {
	w := newWhyWorld(t)
	somebody := slices.DeleteFunc(slices.Clone(w.questions), func(q question) bool { return q.nobody })
	for i, went := range reached(somebody, outside(t, nil, acts(somebody)...)) {
		if !went {
			t.Errorf("outside: %+v", somebody[i])
		}
	}
	var count whyCount
	policies := uint64(whyPolicies)
	if in.name != full.name && testing.Short() { // the answers and the rules are the same
		policies /= 3
	}
	for seed := range policies {
		r := rand.New(rand.NewPCG(18, seed))
		l := launch{in: in, network: network{Allowed: w.entries(r, r.IntN(12)), Denied: w.entries(r, r.IntN(4)), Private: r.IntN(4) == 0}}
		document := l.policy(t)
		proposals := w.compare(t, in, &count, document)
		r.Shuffle(len(proposals), func(i, j int) { proposals[i], proposals[j] = proposals[j], proposals[i] })
		for _, proposal := range proposals[:min(len(proposals), whyProposals)] {
			w.compare(t, in, &count, proposal)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, document)
		}
	}
	t.Logf("%+v", count)
	if count.Rows < 250 || count.Allowed < 50 || count.Denied < 50 {
		t.Errorf("%+v", count)
	}
}

// How many policies are made, and how many of the proposals for each are launched.
const (
	whyPolicies  = 10
	whyProposals = 2
)

// whyCount is how much was compared.
type whyCount struct{ Rows, Allowed, Denied, Proposed int }

// compare launches a policy, and returns documents with which something is allowed that is not.
func (w *whyWorld) compare(t *testing.T, in confinement, count *whyCount, document string) (proposals []string) {
	t.Helper()
	p, err := policy.Parse([]byte(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	results := launch{in: in, Launch: host.Launch{Policy: document}}.acts(t, acts(w.questions)...).Results
	for i, went := range reached(w.questions, results) {
		q := w.questions[i]
		a := whyMachine(q).Host(&p, q.host, q.port)
		if went != (a.Allowed == order.ActAllowed) {
			t.Errorf("%s port %d: %t, but %+v", q.host, q.port, went, a)
		}
		count.Rows++
		if went {
			count.Allowed++
			continue
		}
		count.Denied++
		if a.Patch == nil {
			continue
		}
		_, after, err := why.Fit([]byte(document), a.Patch)
		if err != nil {
			t.Fatalf("%+v: %v", a, err)
		}
		changed, err := policy.Parse(after)
		if again := whyMachine(q).Host(&changed, q.host, q.port); err != nil || again.Allowed != order.ActAllowed {
			t.Errorf("%+v: %v, %+v", a, err, again)
		}
		if count.Proposed++; q.nobody {
			continue // the name would be looked up, and not be found
		}
		proposals = append(proposals, string(after))
	}
	return proposals
}
