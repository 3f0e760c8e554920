package supervise

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// env is the server's environment with the home that it really has; and where it has no root of its own, with the folder
// for temporary files, and with what lies below the home moved with it.
func (s *shim) env() []string {
	env := make([]string, 0, len(s.Order.Env)+4)
	if s.rung == policy.None {
		return s.Order.Env
	}
	was, temporary := order.Lookup(s.Order.Env, "HOME"), ""
	if s.shared() {
		temporary = s.private.Path + "/" + fsview.PrivateTmp
	}
	for _, v := range s.Order.Env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "HOME":
			continue
		case temporary == "" || s.granted(value):
		case isTemporary(name):
			continue
		case strings.HasPrefix(name, "XDG_") && was != "" && was != s.view.Home && strings.HasPrefix(value, was+"/"):
			v = name + "=" + s.view.Home + value[len(was):]
		}
		env = append(env, v)
	}
	if temporary != "" {
		for _, name := range [...]string{"TMPDIR", "TMP", "TEMP"} {
			if order.Lookup(env, name) == "" {
				env = append(env, name+"="+temporary)
			}
		}
	}
	return append(env, "HOME="+s.view.Home)
}

func isTemporary(name string) bool { return name == "TMPDIR" || name == "TMP" || name == "TEMP" }

// granted reports whether a path lies where a rule gives something.
func (s *shim) granted(path string) bool {
	for i := range s.view.Nodes {
		if n := s.view.Nodes[i].Path; path == n || strings.HasPrefix(path, n+"/") {
			return true
		}
	}
	return false
}
