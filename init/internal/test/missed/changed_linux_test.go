package missed

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
)

// seen is what lies at the path of a statx in the sandbox.
func (c *changes) seen(i int) string {
	_, path, _ := strings.Cut(c.Line(i, nil), `"`)
	path, _, _ = strings.Cut(path, `"`)
	v := c.View()
	at := func(n fsview.Node) bool { return n.Path == path || n.Source == path }
	if strings.HasPrefix(path, "/proc/self/ns/") {
		return "a namespace"
	}
	if row := c.row(i); row == "descriptors stdio" || row == "seccomp seccomp" {
		return "an open file"
	}
	if c.row(i) == "landlock landlockRuleset" {
		return "a rule's place"
	}
	if path == "/" || path == "/dev/pts" {
		return path
	}
	if path == v.Outside || path == "/proc" {
		return map[bool]string{true: "/proc", false: "what is outside"}[path == "/proc"]
	}
	for _, k := range v.Covers {
		if k.Path == path && c.row(i) == "root pivot" && !c.again(i) {
			return "a " + []string{"pin", "frozen cover", "denial"}[k.Kind]
		}
	}
	if n := slices.IndexFunc(v.Private, at); n >= 0 {
		return map[bool]string{true: "a state", false: "a private folder"}[v.Private[n].Kind == fsview.Bind]
	}
	if n := slices.IndexFunc(v.Nodes, at); n >= 0 {
		return []string{"a folder", "a file", "a link", "a bind"}[v.Nodes[n].Kind]
	}
	return path
}
