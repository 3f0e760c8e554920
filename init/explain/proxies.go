package explain

import "github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"

// Proxy is the variable of an environment in which a launch with allowed domains finds the company's proxy, and
// HOST:PORT of that, without user information; "" where the launch has no proxy, or is refused for it.
func Proxy(env func(string) string) (variable, address string) {
	p, err := dial.ProxyFrom(env)
	if err != nil {
		return "", ""
	}
	return p.Variable(), p.String()
}

// ProxyAddress is HOST:PORT of the value of a proxy's variable, without user information; "" for what is none.
func ProxyAddress(value string) string { return dial.Address(value) }

// ProxyVariables are those by which programs are told of a proxy.
func ProxyVariables() []string {
	return []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy",
		"FTP_PROXY", "ftp_proxy"}
}
