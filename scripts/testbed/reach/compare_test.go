package reach

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

const localPort = "4711"

// asExpected is a launch that has no differences.
func asExpected() *launch {
	network := order.LayerReport{Layer: order.Network, State: order.Proved}
	for _, name := range proofs(false) {
		network.Facts = append(network.Facts, order.Fact{Name: name, Want: "x", Got: "x"})
	}
	denied := func(kind order.DeniedKind, host, address string, port uint16) order.Denied {
		return order.Denied{Act: order.Act{Kind: kind, Host: host, Address: address, Port: port}}
	}
	return &launch{published: greeting, proxied: allowed + ":" + port,
		enforced: &order.Enforced{Confinement: "full", Layers: []order.LayerReport{network}},
		denied: []order.Denied{denied(order.DeniedName, other, "", 0), denied(order.DeniedPort, allowed, "", 8),
			denied(order.DeniedAddress, "", address, 9), denied(order.DeniedAddress, "", address, 7)},
		results: []attempt.Result{{OK: true, Detail: allowed + ":" + port + " got probe"}, {OK: true, Detail: "localhost got probe"},
			{Detail: "lookup " + other + ": no such host"}, {Errno: "ECONNREFUSED"}, {Errno: "ECONNRESET"}, {Errno: "ECONNREFUSED"},
			{OK: true, Detail: greeting}}}
}

// Each single thing that is otherwise is a difference, and names itself.
func TestDifferences(t *testing.T) {
	if all := asExpected().differences(localPort); all != nil {
		t.Fatal(all)
	}
	for i, a := range acts(localPort, false) {
		l := asExpected()
		l.results[i] = attempt.Result{OK: true, Detail: "something else"}
		if i == 2 {
			l.results[i] = attempt.Result{Detail: "lookup " + other + ": server misbehaving"}
		}
		check(t, l, strings.Join(a.words, " "))
	}
	for i := range refusals(false) {
		l := asExpected()
		l.denied = slices.Delete(l.denied, i, i+1)
		check(t, l, "records of refusals")
	}
	for i, name := range proofs(false) {
		l := asExpected()
		l.enforced.Layers[0].Facts[i].Got = ""
		check(t, l, "fact "+name)
	}
	for of, change := range map[string]func(*launch){
		"ask " + allowed + ":" + port: func(l *launch) { l.results = slices.Delete(l.results, 0, 1) },
		"the published port answers":  func(l *launch) { l.published = "" },
		"the proxy was asked for":     func(l *launch) { l.proxied += " " + other + ":" + port },
		"layer network":               func(l *launch) { l.enforced.Layers[0].State = order.Absent },
	} {
		l := asExpected()
		change(l)
		check(t, l, of)
	}
}

func check(t *testing.T, l *launch, of string) {
	t.Helper()
	if all := l.differences(localPort); len(all) == 0 || !strings.HasPrefix(all[0], of+": ") {
		t.Errorf("%s: %q", of, all)
	}
}
