package reach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// An act is one attempt of the probe and what has to come of it.
type act struct {
	words []string
	want  string // what is told of it
}

// acts are the probe's. local is the port of the host without a proxy. Without a network namespace (reduced) connect(2)
// says of every address whether it is open, and no server can listen.
func acts(local string, reduced bool) []act {
	const refused = "ECONNREFUSED"
	reset, serves := "ECONNRESET", greeting
	if reduced {
		reset, serves = refused, "EACCES"
	}
	ask := func(to, want string) act { return act{[]string{"ask", to}, want} }
	return []act{
		ask(allowed+":"+port, allowed+":"+port+" got probe"),
		ask("localhost:"+local, "localhost got probe"),
		ask(other+":"+port, "no such host"),
		ask(allowed+":8", refused),
		ask(address+":"+port, reset),
		ask(address+":9", refused),
		{[]string{"serve", "127.0.0.1:" + served}, serves},
	}
}

// probeArgs are the probe's arguments.
func probeArgs(local string) (all []string) {
	for _, a := range acts(local, false) {
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
func refusals(reduced bool) []string {
	all := []string{"name " + other, "port " + allowed + " 8", "address " + address + " " + port,
		"address " + address + " 9"}
	if reduced {
		all = append(all, "syscall ")
	}
	return all
}

// proofs are facts of the network's layer that only a launch with a list has, and in full a published port.
func proofs(reduced bool) []string {
	all := []string{"connect TCP 192.0.2.1:" + port, "A of mcp-sandbox.invalid", "TXT of " + allowed}
	if reduced {
		return append(all, "TCP socket", "UDP socket", "calls that the launcher answered")
	}
	return append(all, "reachable "+allowed, "sockets of the launcher", "sockets for published ports")
}

// differences says what is not as a launch in its confinement has it.
func (l *launch) differences(local string) (all []string) {
	reduced, published := l.enforced.Confinement == "reduced", greeting
	if reduced {
		published = ""
	}
	differ := func(of, got, want string) {
		if got != want {
			all = append(all, fmt.Sprintf("%s: %q, expected %q", of, got, want))
		}
	}
	for i, a := range acts(local, reduced) {
		got := "nothing"
		if i < len(l.results) {
			got = told(&l.results[i])
		}
		differ(strings.Join(a.words, " "), got, a.want)
	}
	differ("the published port answers", l.published, published)
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
	differ("records of refusals", sorted(denied), sorted(refusals(reduced)))
	network := l.enforced.Layer(order.Network)
	differ("layer network", string(network.State), string(order.Proved))
	for _, name := range proofs(reduced) {
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
