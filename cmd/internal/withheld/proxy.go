package withheld

import (
	"os"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// proxies are the notices of the proxies that the user may not have chosen: the one by which the server's hosts are
// reached, or in a level with the host's network those of which the server is told. NO_PROXY only takes hosts away from
// a proxy, and needs none.
func proxies(o *order.Order, p *policy.Policy) (all []order.Notice) {
	told := map[string]bool{}
	add := func(what, variable, address string) {
		n := order.Notice{Kind: order.NoticeProxy, Name: variable}
		if !told[address] {
			n.Line = notice.Proxy(what, variable, address)
		}
		told[address] = address != ""
		all = append(all, n)
	}
	if p.Level != policy.LevelNetwork && p.Level != policy.Privileged {
		variable, address := chosen()
		if variable != "" && slices.ContainsFunc(p.Network.AllowedDomains, isRemote) {
			add("hosts are reached by", variable, address)
		}
		return all
	}
	for _, variable := range notice.ProxyVariables() {
		value := os.Getenv(variable)
		if value != "" && order.Lookup(o.Env, variable) == value && !platform.IsUsers(variable, value) {
			add("the server is told of", variable, explain.ProxyAddress(value))
		}
	}
	return all
}

// isRemote is false for the machine itself, to which no proxy leads.
func isRemote(domain string) bool {
	d, err := policy.ParseDomain(domain)
	return err == nil && d.Host != "localhost"
}

// chosen is the proxy of this process's environment that the user may not have chosen; "" where there is none.
func chosen() (variable, address string) {
	variable, address = explain.Proxy(os.Getenv)
	if variable == "" || platform.IsUsers(variable, os.Getenv(variable)) {
		return "", ""
	}
	return variable, address
}

// InstallProxy is the line on the proxy by which packages are about to be fetched, where the user may not have chosen
// it; else "". In a level with the host's network the manager itself takes one, and that for http too.
func InstallProxy(level policy.Level) string {
	variable, address := chosen()
	if level == policy.LevelNetwork || level == policy.Privileged {
		for _, name := range notice.ProxyVariables() {
			if value := os.Getenv(name); variable == "" && value != "" && !platform.IsUsers(name, value) {
				variable, address = name, explain.ProxyAddress(value)
			}
		}
	}
	if variable == "" {
		return ""
	}
	return notice.Proxy("packages are fetched by", variable, address)
}
