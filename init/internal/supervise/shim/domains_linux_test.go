package shim_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// factsOf are the facts of a launch's layer.
func factsOf(t *testing.T, o *outcome, layer string) []order.Fact {
	t.Helper()
	var enforced struct{ Layers []order.LayerReport }
	text, err := json.Marshal(o.Report[0])
	if err == nil {
		err = json.Unmarshal(text, &enforced)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range enforced.Layers {
		if string(l.Layer) == layer {
			return l.Facts
		}
	}
	return nil
}

// networkFacts are what was found in a launch's layer network, by name.
func networkFacts(t *testing.T, o *outcome) map[string]string {
	t.Helper()
	facts := map[string]string{}
	for _, f := range factsOf(t, o, "network") {
		facts[f.Name] = f.Got
	}
	return facts
}

// The report has what each entry opens, and what was tried.
func TestDomainFacts(t *testing.T) {
	s := build(t, "")
	o := altered.Run(t, s.Launch(altered.Domains, "mark"))
	if o.Code != 0 || len(o.Report) != 2 {
		t.Fatalf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
	}
	facts := networkFacts(t, &o)
	for name, want := range map[string]string{
		"interfaces that are up":             "lo",
		"addresses":                          "127.0.0.1 198.18.0.1",
		"source address":                     "198.18.0.1",
		"reachable c.example":                "443",
		"reachable *.a.example":              "80 443",
		"reachable localhost":                "5432",
		"reachable 192.0.2.1":                "22",
		"reachable b.example":                "",
		"connect TCP 192.0.2.1:9":            "ECONNREFUSED",
		"connect TCP 192.0.2.2:22":           "ECONNRESET",
		"A of mcp-sandbox.invalid":           "no such name",
		"connect UDP 192.0.2.1":              "",
		"TXT of mcp-sandbox-proof.a.example": "no records",
	} {
		if facts[name] != want {
			t.Errorf("%s: %q, want %q", name, facts[name], want)
		}
	}
	if t.Failed() {
		t.Log(facts)
	}
}

// rawFact is a fact about raw sockets.
type rawFact struct{ name, want, reason, effect string }

// rawFacts are the facts about raw sockets that a launch lacks, and how many sockets the launcher has.
func rawFacts(t *testing.T, o *outcome) (all []rawFact, sockets string) {
	t.Helper()
	for _, f := range factsOf(t, o, "network") {
		switch {
		case f.Reason != "":
			all = append(all, rawFact{f.Name, f.Want, f.Reason, f.Effect})
		case f.Name == "sockets of the launcher":
			sockets = f.Got
		}
	}
	return all, sockets
}

// Raw sockets are lost where the machine refuses them, and nowhere else: then nobody is told of some refusals, and all
// else holds.
func TestRawSockets(t *testing.T) {
	const dns = "DNS by UDP, DNS by TCP"
	const readable = `{"version":1,"filesystem":{"default":"read","allowWrite":["STAGE/write"]}}`
	taps, icmp := "refusals of TCP, refusals of ICMP", "refusals of ICMP"
	if platform.HasIPv6() {
		icmp += ", refusals of ICMPv6"
		taps += ", refusals of TCP by IPv6, refusals of ICMPv6"
	}
	refused := rawFact{"refused ports and datagrams are told", taps, "socket: EPERM",
		"a refused port or datagram is refused all the same, and nobody is told of it"}
	for _, c := range []struct {
		name    string
		doc     string
		lacks   []testbed.Lack
		facts   []rawFact
		sockets string
	}{
		{"domains", altered.Domains, nil, nil, dns + ", " + taps},
		{"no domains", grants, nil, nil, icmp},
		{"no domains, default read", readable, nil, nil, icmp},
		{"no domains without raw sockets", grants, []testbed.Lack{testbed.NoRawSockets}, []rawFact{{"refused look-ups are told", icmp, "socket: EPERM",
			"a name that the server looks up is refused all the same, and nobody is told of it"}}, ""},
		{"domains without raw sockets", altered.Domains, []testbed.Lack{testbed.NoRawSockets}, []rawFact{refused}, dns},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "")
			l := s.Launch(c.doc, "mark")
			l.Prepare = func(cmd *exec.Cmd) { testbed.Machine{Lacks: c.lacks}.Put(t, cmd) }
			o := altered.Run(t, l)
			if o.Code != 0 || len(o.Report) != 2 || !s.Ran(&o, "mark") {
				t.Fatalf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
			}
			if facts, sockets := rawFacts(t, &o); !slices.Equal(facts, c.facts) || sockets != c.sockets {
				t.Errorf("lacks %+v, sockets %q; want %+v, %q", facts, sockets, c.facts, c.sockets)
			}
		})
	}
}

// Without domains lo has the sandbox's addresses, nothing listens there, and there is no route to others.
func TestNoDomainFacts(t *testing.T) {
	s := build(t, "")
	l := s.Launch(grants, "mark")
	l.Command = []string{"cat", "/etc/resolv.conf"}
	o := altered.Run(t, l)
	if o.Code != 0 || o.Stdout != "nameserver "+layers.EgressIPv4+"\n" {
		t.Fatalf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
	}
	facts := networkFacts(t, &o)
	want := map[string]string{"connect UDP " + layers.EgressIPv4: "0"}
	if platform.HasIPv6() {
		want["address of IPv6"] = layers.EgressIPv6
	}
	if platform.RouteOut() {
		want["connect UDP 192.0.2.1"] = "ENETUNREACH"
	}
	for name, got := range want {
		if facts[name] != got {
			t.Errorf("%s: %q, want %q", name, facts[name], got)
		}
	}
}

// As many ports and entries as a policy may have, with few files to open: the sockets are 134.
func TestManyDomains(t *testing.T) {
	s := build(t, "")
	var entries []string
	for i := range 128 {
		entries = append(entries, fmt.Sprintf(`"%s-%d.example:%d"`, strings.Repeat("x", 59), i, 1000+i))
	}
	l := s.Launch(`{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"network":{"allowedDomains":[`+strings.Join(entries, ",")+`]}}`, "mark")
	l.Files = 256
	o := altered.Run(t, l)
	if o.Code != 0 || len(o.Report) != 2 || !s.Ran(&o, "mark") {
		t.Fatalf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
	}
	facts := networkFacts(t, &o)
	for i := range 128 {
		name := fmt.Sprintf("reachable %s-%d.example", strings.Repeat("x", 59), i)
		if facts[name] != fmt.Sprint(1000+i) {
			t.Fatalf("%s: %q", name, facts[name])
		}
	}
}

// A limit of open files below what the policy's ports take refuses the launch, as a fault of the machine.
func TestTooFewFiles(t *testing.T) {
	s := build(t, "")
	l := s.Launch(altered.Domains, "mark")
	l.Files = 20
	o := altered.Run(t, l)
	if o.Code != 125 || o.Event() != "refused" || s.Ran(&o, "mark") || !strings.Contains(o.Stderr, "too many open files") {
		t.Fatalf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
	}
}

// A server without a network namespace of its own starts where the policy lets it, and says what it lacks.
func TestNothingHoldsDomains(t *testing.T) {
	s := build(t, "")
	doc := strings.Replace(altered.Weaker(named, "reduced"), `"version":1`, `"version":1,"seccomp":{"deny":["connect"]}`, 1)
	o := altered.Run(t, s.Launch(doc, "mark"))
	const line = "nothing holds network.allowedDomains (the server has no network) here: minConfinement was written out"
	if o.Code != 0 || !strings.Contains(o.Stderr, line) {
		t.Errorf("code %d, %s", o.Code, o.Stderr)
	}
}

// The server asks the launcher for names, and has none of the sockets.
func TestServerWithDomains(t *testing.T) {
	s := build(t, "")
	l := s.Launch(named, "mark")
	l.Command = []string{"/bin/sh", "-c", "cat /etc/resolv.conf; ls -l /proc/self/fd | grep -c socket"}
	o := altered.Run(t, l)
	if o.Stdout != "nameserver 198.18.0.1\n0\n" {
		t.Errorf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
	}
}
