package wrapping

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// warnings are the lines on the variables of the entry that have mcp-sandbox itself, and not only the server, do
// otherwise: proxies, and folders in which the user's own things lie.
func warnings(e *Entry) (all []string) {
	m := &e.File.scope.Machine
	s := e.server()
	for _, variable := range append(s.Env, s.Names...) {
		name, value, known := strings.Cut(variable, "=")
		str := ""
		switch {
		case known && value == "":
		case slices.Contains(notice.ProxyVariables(), name):
			str = "is a proxy by which hosts may be reached, with an address that is not known here"
			if address := explain.ProxyAddress(value); address != "" {
				str = "hosts may be reached by the proxy " + address
			}
		case m.OS != "linux":
		case name == "HOME" && filepath.Clean(value) != m.Home:
			str = "~ in the policy is this folder, and where passwd(5) has no home for you, what mcp-sandbox keeps " +
				"is below it"
		case slices.Contains([]string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"}, name) &&
			(m.Getenv(name) != value || !platform.IsUsers(name, value)):
			str = "what mcp-sandbox keeps stays in the user's own folders: for the server alone"
		}
		if str != "" {
			all = append(all, text.Printable("env "+name+": "+str))
		}
	}
	return all
}
