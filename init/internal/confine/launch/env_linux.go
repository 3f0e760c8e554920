package launch

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// temporaryNames are the variables of the folder for temporary files.
var temporaryNames = []string{"TMPDIR", "TMP", "TEMP"}

// environ is the server's environment with the home that the server really has. Where it has no root of its own: with
// the folder for temporary files, with the XDG_ paths below the home moved with it, and the copies of certificates.
func environ(s *Sandbox) []string {
	o := s.launch.Order
	if s.Confinement == policy.None {
		return o.Env
	}
	view, temporary := s.View, ""
	if s.Shared() {
		temporary = s.kept.private.Path + "/" + fsview.PrivateTmp
	}
	was := order.Lookup(o.Env, "HOME")
	env := make([]string, 0, len(o.Env)+4)
	for _, v := range o.Env {
		name, value, _ := strings.Cut(v, "=")
		moved := order.Lookup(view.Env, name)
		switch {
		case name == "HOME":
			continue
		case moved != "":
			v = name + "=" + moved
		case temporary == "" || isGranted(view, value):
		case slices.Contains(temporaryNames, name):
			continue
		case strings.HasPrefix(name, "XDG_") && was != "" && was != view.Home && strings.HasPrefix(value, was+"/"):
			v = name + "=" + view.Home + value[len(was):]
		}
		env = append(env, v)
	}
	if temporary != "" {
		for _, name := range temporaryNames {
			if order.Lookup(env, name) == "" {
				env = append(env, name+"="+temporary)
			}
		}
	}
	return append(env, "HOME="+view.Home)
}

// isGranted reports whether a path lies where a rule gives something.
func isGranted(view *fsview.View, path string) bool {
	return slices.ContainsFunc(view.Nodes, func(n fsview.Node) bool {
		return path == n.Path || strings.HasPrefix(path, n.Path+"/")
	})
}
