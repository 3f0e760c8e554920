package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// The addresses of a sandbox, on its lo. 198.18.0.0/15 is for tests between networks (RFC 2544)
// and the other is a unique local address (RFC 4193): neither is routed anywhere.
const (
	EgressIPv4 = "198.18.0.1"
	EgressIPv6 = "fd6d:6370:7362::1"
)

// PortDNS is where init opens sockets for questions of the domain name system.
const PortDNS = 53

// An EgressKind is the kind of a socket that init opens in the sandbox's network namespace and hands to the shim.
type EgressKind uint8

const (
	DNSUDP   EgressKind = iota // UDP, port 53, with IPV6_RECVPKTINFO, or without IPv6 IP_PKTINFO
	DNSTCP                     // TCP, port 53, listening
	Listener                   // TCP, listening on a port of the policy, on every address
	TapTCP4                    // raw, IPPROTO_TCP
	TapICMP4                   // raw, IPPROTO_ICMP
	TapTCP6                    // raw, IPPROTO_TCP, over IPv6
	TapICMP6                   // raw, IPPROTO_ICMPV6
)

// An EgressSocket is one of those sockets. Each is non-blocking and close-on-exec. With IPv6 DNSUDP, DNSTCP and
// Listener are of AF_INET6 and serve IPv4 too, as addresses like ::ffff:192.0.2.1; else they are of AF_INET.
type EgressSocket struct {
	Kind EgressKind
	Port uint16 // 0 for a tap
}

// Carried is such a socket in this process.
type Carried struct {
	EgressSocket
	FD int
}

// EgressSockets are the sockets that a launch with confinement full hands over, in their order. Without allowed domains
// no program answers the server's look-ups, and two raw sockets get the refused questions.
func EgressSockets(p *policy.Policy, m *Machine) []EgressSocket {
	return socketsOf(p, match.New(&p.Network), m)
}

func socketsOf(p *policy.Policy, rules *match.Rules, m *Machine) []EgressSocket {
	if !ownNetwork(p) {
		return nil
	}
	listed := HasEgress(p, rules)
	var all []EgressSocket
	if listed {
		all = []EgressSocket{{DNSUDP, PortDNS}, {DNSTCP, PortDNS}}
		for _, port := range rules.Ports() {
			all = append(all, EgressSocket{Listener, port})
		}
		all = append(all, EgressSocket{Kind: TapTCP4})
	}
	all = append(all, EgressSocket{Kind: TapICMP4})
	if m.IPv6 && listed {
		all = append(all, EgressSocket{Kind: TapTCP6})
	}
	if m.IPv6 {
		all = append(all, EgressSocket{Kind: TapICMP6})
	}
	return all
}

// ownNetwork reports whether a server of the policy has a network namespace of its own, if the confinement is full.
func ownNetwork(p *policy.Policy) bool {
	return p.Level != policy.LevelNetwork && p.Level != policy.Privileged
}

// HasEgress reports whether the policy of these rules opens hosts by name to a server with a network namespace of its
// own. Denials may close all of these.
func HasEgress(p *policy.Policy, rules *match.Rules) bool {
	return ownNetwork(p) && len(rules.Ports()) > 0
}

// OpensHosts is HasEgress of the policy's own rules.
func OpensHosts(p *policy.Policy) bool { return HasEgress(p, match.New(&p.Network)) }

// portList is ports as a fact has them.
func portList(ports []uint16) string {
	var b []byte
	for i, port := range ports {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, uint64(port), 10)
	}
	return string(b)
}
