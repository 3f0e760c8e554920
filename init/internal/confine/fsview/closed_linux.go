package fsview

import "github.com/security-mcp/mcp-sandbox/policy"

// closeCovers finds the covers below folders that a root launcher's server may not enter. Init, which is the same user,
// finds no way to their paths, and the mode of such a folder may change while the server runs.
func (t *tree) closeCovers() {
	if !t.request.Root {
		return
	}
	closed := map[string]bool{}
	for i := range t.view.Covers {
		k := &t.view.Covers[i]
		region := t.view.Region(k.Path)
		for at := dirOf(k.Path); region != "" && policy.Within(at, region) && !k.Closed; at = dirOf(at) {
			is, known := closed[at]
			if !known {
				e, ok := t.lookups.stat(at)
				is = ok && !t.request.enters(&e, at)
				closed[at] = is
			}
			k.Closed = is
			if at == "/" {
				break
			}
		}
	}
}

// Region is the tree of the host in which a path lies, by the path at which the tree is mounted; "" of a path in the
// sandbox's own folders, or in a state.
func (v *View) Region(path string) string {
	region := ""
	if v.HostRoot {
		region = "/"
	}
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Kind == Bind && policy.Within(path, n.Path) { // the last is the innermost
			region = n.Path
		}
	}
	for i := range v.Private {
		if p := v.Private[i].Path; policy.Within(path, p) && policy.Within(p, region) {
			return ""
		}
	}
	return region
}
