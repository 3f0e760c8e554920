package notice

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Network is the first refusal of an act in the network. ports are those that the policy opens of the host.
func Network(d *order.Denied, ports []uint16) string {
	host, at := name(d.Host, 60), d.Address
	if d.Host != "" {
		at = host
	}
	if d.Port != 0 {
		at = withPort(at, d.Port)
	}
	text := "network: "
	switch d.Kind {
	case order.DeniedName:
		text += host + " is not allowed (name looked up)"
		if d.Flag == "" {
			text = "network: " + host + " is denied by network.deniedDomains (name looked up)"
		}
	case order.DeniedPort:
		text += at + " is refused"
		if len(ports) > 0 {
			text += ", only " + portList(ports) + " allowed"
		}
	case order.DeniedAddress:
		text += at + " is an address that no allowed name has; the server resolves names itself, or keeps old ones"
	case order.DeniedPrivate:
		text += host + " resolves to an address that no policy opens: of this machine, of its link, or of a cloud's metadata"
		if d.Flag != "" {
			text = "network: " + host + " resolves to a private address; " + d.Flag + ", or allow the address itself"
			return line(text)
		}
	case order.DeniedServerName:
		if d.Asked == "" {
			text += at + ": the server named nobody there (no TLS server name); refused"
		} else {
			text += at + ": the server asked for " + name(d.Asked, 60) + " there (TLS server name); refused"
		}
	case order.DeniedUDP:
		text = "network: udp " + strconv.Itoa(int(d.Port)) + " to " + orAddress(host, d.Address) +
			" is refused: only TCP can be allowed"
	case order.DeniedLimit:
		text += d.Asked
	case order.DeniedUpstream:
		text += at + ": " + failure(d.Errno)
	}
	if d.Flag != "" {
		text += "; " + d.Flag
	}
	return line(text)
}

// failure is what the host's side met, so that nobody looks for the cause in the policy.
func failure(errno string) string {
	switch errno {
	case "ECONNREFUSED":
		return "connection refused by the host itself"
	case "ETIMEDOUT":
		return "the host itself does not answer"
	case "ENETUNREACH", "EHOSTUNREACH":
		return "this machine has no way to the host"
	case "ENOENT":
		return "the name has no address now"
	}
	return errno + ", on this machine's side of the sandbox"
}

func orAddress(host, address string) string {
	if host != "" {
		return host
	}
	return address
}

// withPort is a name or an address with a port; IPv6 stands in brackets.
func withPort(host string, port uint16) string {
	if strings.IndexByte(host, ':') >= 0 {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// portList are ports in words: "80 and 443 are".
func portList(ports []uint16) string {
	text := make([]string, 0, 4)
	for i, p := range ports {
		if i == 3 {
			text = append(text, "others")
			break
		}
		text = append(text, strconv.Itoa(int(p)))
	}
	if len(text) == 1 {
		return text[0] + " is"
	}
	last := len(text) - 1
	return strings.Join(text[:last], ", ") + " and " + text[last] + " are"
}

// ProxyVariable is a variable of the policy's own that sends a server with allowed domains to a proxy.
func ProxyVariable(variable string) string {
	return line("env ", name(variable, 32), ": with allowed domains the server reaches hosts without a proxy; by this variable ",
		"it asks one, which has to be allowed itself and decides for itself what can be reached")
}
