package notice

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

const localhost = "localhost"

// Network is the first refusal of an act in the network. ports are those that the policy opens of the host.
func Network(d *order.Denied, ports []uint16) string {
	host := name(d.Host, 60)
	if host == "" {
		host = d.Address
	}
	at := host
	if d.Port != 0 {
		at = withPort(host, d.Port)
	}
	str := ""
	switch d.Kind {
	case order.DeniedName:
		str = lookedUp(host, d)
	case order.DeniedPort:
		str = at + " is refused" + open(ports)
	case order.DeniedAddress:
		str = at + " is an address that no allowed name has; the server resolves names itself, or keeps old ones"
	case order.DeniedPrivate:
		if d.Flag != "" {
			return fitting("network: "+host+" resolves to a private address", "; ",
				also(whole(d.Flag), ", or allow the address itself"), "")
		}
		str = host + " resolves to an address that is denied, or that no policy opens: of this machine, its links, " +
			"a cloud's metadata"
	case order.DeniedServerName:
		str = at + ": the server sent no name there that can be checked (TLS server name); refused"
		if d.Asked != "" {
			str = at + ": the server asked for " + name(d.Asked, 60) + " there (TLS server name); refused"
		}
	case order.DeniedUDP:
		str = "udp " + strconv.Itoa(int(d.Port)) + " to " + host + " is refused: only TCP can be allowed"
	case order.DeniedLimit:
		str = d.Asked
	case order.DeniedUpstream:
		str = at + ": " + failure(d.Errno)
	}
	if d.Flag == "" {
		return line("network: ", str)
	}
	return fitting("network: "+str, "; ", whole(d.Flag), "")
}

func lookedUp(host string, d *order.Denied) string {
	switch {
	case d.Asked == localhost:
		return host + " is this machine, by its hosts file (name looked up): have the server ask for localhost, with " +
			"--allow-domain localhost:PORT"
	case d.Asked != "":
		return host + " is not allowed (name looked up): search lists are not used, so have the server ask for " +
			name(d.Asked, 60) + ", which is"
	}
	if d.Flag == "" && d.Suggest() != "" {
		return host + " is denied by network.deniedDomains (name looked up)"
	}
	return host + " is not allowed (name looked up)"
}

// open is which ports are open of a host that has some.
func open(ports []uint16) string {
	const most = 4
	text := make([]string, 0, most)
	for i, p := range ports {
		if i == most-1 && len(ports) > most {
			text = append(text, "others")
			break
		}
		text = append(text, strconv.Itoa(int(p)))
	}
	switch last := len(text) - 1; last {
	case -1:
		return ""
	case 0:
		return ", only " + text[0] + " is allowed"
	default:
		return ", only " + strings.Join(text[:last], ", ") + " and " + text[last] + " are allowed"
	}
}

// failure is the error of the host's own side, so that the user does not look for the cause in the policy.
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
	return name(errno, 130) + ", on this machine's side of the sandbox"
}

// withPort is a name or an address with a port; IPv6 stands in brackets.
func withPort(host string, port uint16) string {
	if strings.IndexByte(host, ':') >= 0 {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

// ProxyVariables are the variables in which programs look for a proxy.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy",
		"FTP_PROXY", "ftp_proxy"}
}

// ProxyVariable is a variable of the policy's own that sends a server with allowed domains to a proxy.
func ProxyVariable(variable string) string {
	return line("env ", name(variable, 32), ": with allowed domains the server reaches hosts without a proxy; by this ",
		"variable it asks one, which has to be allowed itself and decides what else can be reached")
}
