package edit

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// Misplaced says where servers stand in a file that has none where its host looks: below a key of another host's, or
// below none. Empty if there are none.
func (d *Document) Misplaced() string {
	if d.root == nil || len(d.servers) > 0 {
		return ""
	}
	for _, m := range d.root.members {
		if m.value.isServer() {
			return "they stand below no key"
		}
		for _, one := range m.value.members {
			if one.value.isServer() && isRoot(m.name) {
				return `they stand below "` + m.name + `"`
			}
		}
	}
	return ""
}

func (n *node) isServer() bool { return n.value("command") != nil || n.value("url") != nil }

// isRoot reports whether some host has servers below a key, in whatever case.
func isRoot(key string) bool {
	return slices.ContainsFunc(mcphosts.All(), func(h mcphosts.Host) bool {
		return slices.ContainsFunc(h.Files, func(f mcphosts.File) bool {
			return slices.ContainsFunc(strings.Fields(f.Form.Roots), func(root string) bool {
				return strings.EqualFold(root, key)
			})
		})
	})
}
