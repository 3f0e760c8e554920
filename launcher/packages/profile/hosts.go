package profile

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// portOf is the port of a URL that names none, by its scheme; 0 for an unknown scheme.
func portOf(scheme string) int {
	switch scheme {
	case "https", "wss":
		return 443
	case "http", "ws":
		return 80
	case "postgres", "postgresql":
		return 5432
	case "mysql":
		return 3306
	case "mongodb", "mongodb+srv":
		return 27017
	case "redis", "rediss":
		return 6379
	}
	return 0
}

// A problem is why nothing is granted for a value. It holds no part of the value, which may be a password.
type problem string

func (p problem) Error() string { return string(p) }

const (
	errNoHost    = problem("no host can be read from it")
	errNoPort    = problem("it has no port, and a scheme that is not known")
	errNotNamed  = problem("it has a name, address or port that nothing allows")
	errIsPattern = problem("it is a pattern")
)

// hostsOf are the entries of allowedDomains for the host of a URL or connection string, or for its hosts: databases
// take several with commas between. The error is a [problem].
//
// A loopback or private address was written by the user for this server, and is allowed as it is; addresses of metadata
// services never are, nor port 53. A name that leads to a private address needs allowPrivate, which no profile sets.
func hostsOf(value, scheme, port string) ([]string, error) {
	if before, behind, ok := strings.Cut(value, "://"); ok {
		scheme, value = strings.ToLower(before), behind
	}
	ends := "/?#"
	if port := portOf(scheme); port == 443 || port == 80 { // where servers read "\\" as "/": URL Standard, 4.4
		ends += `\`
	}
	if i := strings.IndexAny(value, ends); i >= 0 {
		value = value[:i]
	}
	value = value[strings.LastIndexByte(value, '@')+1:]
	var all []string
	for one := range strings.SplitSeq(value, ",") {
		host, own := splitPort(one)
		if own == "" {
			own = port
		}
		if n := portOf(scheme); own == "" && n > 0 {
			own = strconv.Itoa(n)
		}
		switch {
		case host == "":
			return nil, errNoHost
		case own == "":
			return nil, errNoPort
		}
		entry, err := entryOf(host, own, scheme)
		if err != nil {
			return nil, err
		}
		all = append(all, entry)
	}
	return all, nil
}

// splitPort divides "host:port"; of "[::1]:port" the host comes without brackets.
func splitPort(s string) (host, port string) {
	if inside, ok := strings.CutPrefix(s, "["); ok {
		host, rest, _ := strings.Cut(inside, "]")
		return host, strings.TrimPrefix(rest, ":")
	}
	host, port, _ = strings.Cut(s, ":")
	return host, port
}

// entryOf is the entry for one host. The records of mongodb+srv lead to hosts beside the name (docs/network.md), so
// there the entry is of all that have the name's parent, as the drivers of MongoDB demand of these hosts.
func entryOf(host, port, scheme string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		switch a = a.Unmap(); {
		case a.IsLoopback():
			host = "localhost"
		case a.Is6():
			host = "[" + a.String() + "]"
		default:
			host = a.String()
		}
	}
	if strings.Contains(host, "*") {
		return "", errIsPattern
	}
	entry := host + ":" + port
	if _, err := policy.ParseDomain(entry); err != nil {
		return "", errNotNamed
	}
	if _, above, ok := strings.Cut(host, "."); ok && scheme == "mongodb+srv" {
		around := "*." + above + ":" + port
		if _, err := policy.ParseDomain(around); err == nil { // there is none on a public suffix
			entry = around
		}
	}
	return entry, nil
}
