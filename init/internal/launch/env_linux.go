package launch

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// environ is the server's environment with the home that the server really has. Where it has no root of its own: with
// the folder for temporary files, and with what lies below the home moved with it.
func environ(o *order.Order, sandbox *Sandbox) []string {
	if sandbox.Confinement == policy.None {
		return o.Env
	}
	view, temporary := sandbox.View, ""
	if sandbox.Shared() {
		temporary = sandbox.kept.private.Path + "/" + fsview.PrivateTmp
	}
	was := order.Lookup(o.Env, "HOME")
	env := make([]string, 0, len(o.Env)+4)
	for _, v := range o.Env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "HOME":
			continue
		case temporary == "" || isGranted(view, value):
		case isTemporary(name):
			continue
		case strings.HasPrefix(name, "XDG_") && was != "" && was != view.Home && strings.HasPrefix(value, was+"/"):
			v = name + "=" + view.Home + value[len(was):]
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
	return append(env, "HOME="+view.Home)
}

func isTemporary(name string) bool { return name == "TMPDIR" || name == "TMP" || name == "TEMP" }

// isGranted reports whether a path lies where a rule gives something.
func isGranted(view *fsview.View, path string) bool {
	for i := range view.Nodes {
		if n := view.Nodes[i].Path; path == n || strings.HasPrefix(path, n+"/") {
			return true
		}
	}
	return false
}
