package explain

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/notice"
)

// Proxy is the variable of an environment in which a launch with allowed domains finds the company's proxy, and
// HOST:PORT of that, without user information; "" where the launch has no proxy, or is refused for it.
func Proxy(env func(string) string) (variable, address string) {
	p, err := dial.ProxyFrom(env)
	if err != nil {
		return "", ""
	}
	return p.Variable(), p.String()
}

// ProxyAddress is HOST:PORT of the value of a proxy's variable, without user information; "" where the value has none.
func ProxyAddress(value string) string { return dial.Address(value) }

// isProxy reports whether a variable names a proxy to programs; a variable with a prefix of envVars may be one too.
func isProxy(variable string) bool {
	prefix, pattern := strings.CutSuffix(variable, "*")
	return slices.ContainsFunc(notice.ProxyVariables(), func(name string) bool {
		return name == variable || pattern && strings.HasPrefix(name, prefix)
	})
}

// isOtherProxy reports whether a variable with that value is a proxy for some programs: npm_config_https_proxy.
func isOtherProxy(variable, value string) bool {
	name := strings.ToLower(variable)
	return strings.HasSuffix(name, "_proxy") && !strings.HasSuffix(name, "no_proxy") &&
		strings.Contains(value, ":") && ProxyAddress(value) != ""
}

// tellProxy tells of a variable of a proxy with the value, "" where only the launcher has that.
func tellProxy(t *teller, pointer, s, value string) {
	by := "the proxy that it names"
	if address := ProxyAddress(value); address != "" {
		by = "the proxy " + short(address)
	}
	switch {
	case t.hostNetwork():
		t.say(Wide, pointer, s+": programs reach hosts by "+by+", which can read and change what is not encrypted")
	case len(t.p.Network.AllowedDomains) > 0:
		t.say(Wide, pointer, s+": programs ask "+by+", which has to be allowed itself, and decides what else can "+
			"be reached, whatever allowedDomains names")
	default:
		t.say(Note, pointer, s+": programs would reach hosts by "+by+", if there were a network")
	}
}
