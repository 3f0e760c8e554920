package planpage

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// network is the hosts that a server may reach. Below reduced these are none, where the filter refuses sockets, or all.
// Reduced opens no host where the launcher cannot make the server's sockets.
func network(p *policy.Policy, proved *order.Enforced) []string {
	low, layer := !policy.Confinement(proved.Confinement).Holds(policy.Reduced), proved.Layer(order.Network)
	switch {
	case p.Level == policy.LevelNetwork || low && layer.State != order.Proved:
		return []string{"*"}
	case low, layer.Fact(func(f *order.Fact) bool { return f.Name == order.FactDomains }) != nil:
		return []string{}
	}
	return append([]string{}, p.Network.AllowedDomains...)
}

func (v *Preview) reach() [][]page.Cell {
	switch {
	case len(v.Network) == 0:
		opens := "--allow-domain HOST opens one, --level network all"
		low := !policy.Confinement(v.Confinement).Holds(policy.Reduced)
		if low || v.Confinement != string(policy.Full) && len(v.names.AllowedDomains) > 0 {
			opens = "--level network opens all"
		}
		return texts(append([]string{
			"none: no address can be reached, this machine's own neither (" + opens + ")"}, v.published()...))
	case v.Network[0] == "*":
		return [][]page.Cell{{{Text: "all that this machine reaches, this machine's own addresses included",
			Style: page.Yellow}}}
	}
	var lines []string
	for _, entry := range v.Network {
		lines = append(lines, inWords(entry, "80, 443"))
	}
	for _, entry := range v.names.DeniedDomains {
		lines = append(lines, "not "+inWords(entry, "every port"))
	}
	if v.names.AllowPrivate {
		lines = append(lines, "these names at private addresses too")
	}
	if v.names.CheckServerName == policy.No {
		lines = append(lines, "on port 443 whatever name a TLS client asks for")
	}
	return texts(append(append(lines, "and no other address"), v.published()...))
}

// published are the server's ports that this machine reaches, in the one confinement that has them.
func (v *Preview) published() (lines []string) {
	if v.Confinement != string(policy.Full) {
		return nil
	}
	for _, entry := range v.names.Publish {
		p, err := policy.ParsePublish(entry)
		if err != nil {
			continue
		}
		lines = append(lines, "its port "+strconv.Itoa(int(p.Port))+" is reached at "+p.Outside())
	}
	return lines
}

// inWords is an entry of a list with its port, or with the ports that an entry without one stands for.
func inWords(entry, every string) string {
	d, err := policy.ParseDomain(entry)
	if err != nil {
		return entry
	}
	name, ports := d.Host, every
	if d.Below {
		name = "*." + name
	}
	if d.Port != 0 {
		ports = strconv.Itoa(int(d.Port))
	}
	return name + " (" + ports + ")"
}
