package rows

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/view"
)

// The contract's rule: AF_UNIX is refused as a whole where sockets of the host are in reach and this Landlock cannot tell
// them apart.
func TestRefusesUnix(t *testing.T) {
	const home = "/home/u"
	node := func(path string, folder bool) view.Node {
		return view.Node{Path: path, Kind: view.Bind, Folder: folder}
	}
	for _, c := range []struct {
		name    string
		root    bool // filesystem.default read
		hostNet bool
		nodes   []view.Node
		from    int // refused below this version of Landlock, and not from it on
	}{
		{"nothing granted", false, false, nil, 0},
		{"all is shown", true, false, nil, pathnameABI},
		{"the home", false, false, []view.Node{node(home, true)}, pathnameABI},
		{"a folder above the home", false, false, []view.Node{node("/home", true)}, pathnameABI},
		{"a folder in the home", false, false, []view.Node{node(home+"/notes", true)}, 0},
		{"a folder of a like name", false, false, []view.Node{node("/home/us", true), node("/hom", true)}, 0},
		{"a file", false, false, []view.Node{node("/home", false)}, 0},
		{"a folder of the sandbox's own", false, false, []view.Node{{Path: home, Kind: view.Dir, Folder: true}}, 0},
		{"the host's network", false, true, nil, scopesABI},
		{"the host's network and home", false, true, []view.Node{node(home, true)}, pathnameABI},
	} {
		v := &view.View{Home: home, HostRoot: c.root, Nodes: c.nodes}
		for abi := range 12 {
			if got := RefusesUnix(v, abi, c.hostNet); got != (abi < c.from) {
				t.Errorf("%s, ABI %d: refused %v", c.name, abi, got)
			}
		}
	}
}
