package hosts

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A target is the destination that a server would connect to.
type target struct {
	text  string // the host, as messages have it
	host  match.Host
	named bool // a client can connect to the host by the text of the question
	ports []uint16
}

func targetOf(host string, port uint16) target {
	t := target{text: text.Printable(host), ports: []uint16{port}}
	if port == 0 {
		t.ports = []uint16{80, 443}
	}
	t.host, t.named = match.HostOf(host)
	if n := t.host.Name; n == "ip6-localhost" || n == "ip6-loopback" { // as the server's hosts file has these
		t.host = match.Host{Address: netip.IPv6Loopback()}
	}
	switch {
	case !t.named:
	case t.host.Address.IsValid():
		t.text = t.host.Address.String()
	default:
		t.text = t.host.Name
	}
	return t
}

// isLocal reports whether the host is the launcher's own loopback.
func (t *target) isLocal() bool { return t.host.Name == "localhost" || t.host.Address.IsLoopback() }

// what is the host with its ports.
func (t *target) what() string { return t.text + " " + portList(t.ports) }

// are is the verb behind what.
func (t *target) are() string {
	if len(t.ports) > 1 {
		return " are"
	}
	return " is"
}

// portList is "port 80" or "ports 80 and 443".
func portList(ports []uint16) string {
	all := make([]string, len(ports))
	for i, port := range ports {
		all[i] = number(port)
	}
	last := len(all) - 1
	if last == 0 {
		return "port " + all[0]
	}
	return "ports " + strings.Join(all[:last], ", ") + " and " + all[last]
}

func number(port uint16) string { return strconv.Itoa(int(port)) }

// entry is the text of an entry that allows one port of the host.
func (t *target) entry(port uint16) string {
	host := t.text
	switch {
	case t.isLocal():
		host = "localhost"
	case t.host.Address.Is6():
		host = "[" + host + "]"
	}
	return host + ":" + number(port)
}

// entries are the allowances without which these ports are closed. Both ports that an entry without a port stands for
// are one such entry; localhost has none.
func (t *target) entries(closed []uint16) (all []string) {
	if len(closed) == 2 && !t.isLocal() {
		return []string{t.text}
	}
	for _, port := range closed {
		all = append(all, t.entry(port))
	}
	return all
}
