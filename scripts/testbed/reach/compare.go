package reach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// An act is one attempt of the probe and what has to come of it in full confinement.
type act struct {
	words []string
	want  string // what is told of it
}

// acts are the probe's. local is the port of the host without a proxy.
func acts(local string) []act {
	const refused, reset = "ECONNREFUSED", "ECONNRESET"
	ask := func(to, want string) act { return act{[]string{"ask", to}, want} }
	return []act{
		ask(allowed+":"+port, allowed+":"+port+" got probe"),
		ask("localhost:"+local, "localhost got probe"),
		ask(other+":"+port, "no such host"),
		ask(allowed+":8", refused),
		ask(address+":"+port, reset),
		ask(address+":9", refused),
		{[]string{"serve", "127.0.0.1:" + served}, greeting},
	}
}

// probeArgs are the probe's arguments.
func probeArgs(local string) (all []string) {
	for _, a := range acts(local) {
		all = append(append(all, "--"), a.words...)
	}
	return all
}

// told is a result in few words: a resolver's error has no errno.
func told(r *attempt.Result) string {
	switch {
	case r.OK:
		return r.Detail
	case r.Errno == "" && strings.HasSuffix(r.Detail, ": no such host"):
		return "no such host"
	case r.Errno == "":
		return r.Detail
	}
	return r.Errno
}

// refusals are the records that a launch has of these acts.
func refusals() []string {
	return []string{"name " + other, "port " + allowed + " 8", "address " + address + " " + port,
		"address " + address + " 9"}
}

// proofs are facts of the network's layer that only a launch with a list and a published port has.
func proofs() []string {
	return []string{"reachable " + allowed, "connect TCP 192.0.2.1:" + port, "A of mcp-sandbox.invalid",
		"TXT of " + allowed, "sockets of the launcher", "sockets for published ports"}
}

// differences says what is not as a launch in full confinement has it.
func (l *launch) differences(local string) (all []string) {
	differ := func(of, got, want string) {
		if got != want {
			all = append(all, fmt.Sprintf("%s: %q, expected %q", of, got, want))
		}
	}
	for i, a := range acts(local) {
		got := "nothing"
		if i < len(l.results) {
			got = told(&l.results[i])
		}
		differ(strings.Join(a.words, " "), got, a.want)
	}
	differ("the published port answers", l.published, greeting)
	differ("the proxy was asked for", l.proxied, allowed+":"+port)
	var denied []string
	for _, d := range l.denied {
		text := fmt.Sprintf("%s %s%s", d.Kind, d.Host, d.Address)
		if d.Port != 0 {
			text += fmt.Sprintf(" %d", d.Port)
		}
		denied = append(denied, text)
	}
	sorted := func(all []string) string { return strings.Join(slices.Sorted(slices.Values(all)), ", ") }
	differ("records of refusals", sorted(denied), sorted(refusals()))
	network := l.enforced.Layer(order.Network)
	differ("layer network", string(network.State), string(order.Proved))
	for _, name := range proofs() {
		got := "absent"
		for _, f := range network.Facts {
			if f.Name == name && f.Got != "" {
				got = "proved"
			}
		}
		differ("fact "+name, got, "proved")
	}
	return all
}
