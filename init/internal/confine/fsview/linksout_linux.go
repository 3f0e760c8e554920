package fsview

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// How much of a node_modules is looked at: names, and links that lead out of the grant.
const (
	maxModules  = 2048
	maxLinksOut = 32
)

// LinksOut finds packages in the node_modules of a grant that are links out of it, to packages which the server does
// not see. link is the first, to the folder of packages that it leads into, others how many more there are. A link that
// leads to anything but a package is passed over: whoever made the project chose where it leads.
func (v *Viewer) LinksOut(grant string) (link, to string, others int) {
	top := v.Look(join(grant, unsearched))
	if top.Sight != Seen || !top.Folder {
		return "", "", 0
	}
	s := linkSearch{viewer: v, grant: v.Look(grant).Real, left: maxModules}
	for _, scope := range s.folder(top.Real) {
		s.folder(scope)
	}
	if len(s.found) == 0 {
		return "", "", 0
	}
	to = v.Look(s.found[0]).Real
	if i := strings.LastIndex(to, "/"+unsearched+"/"); i >= 0 {
		to = to[:i+1+len(unsearched)]
	}
	return s.found[0], to, len(s.found) - 1
}

// A linkSearch looks at the links of one grant.
type linkSearch struct {
	viewer *Viewer
	grant  string
	left   int // names that may still be looked at
	found  []string
}

// folder looks at one folder, and returns the scopes in it.
func (s *linkSearch) folder(at string) (scopes []string) {
	var links []string
	s.viewer.lookups.list(at, func(name []byte, kind uint32) bool { // a folder that cannot be listed leads nowhere
		switch s.left--; {
		case s.left < 0:
			return false
		case kind == typeLink:
			links = append(links, join(at, string(name)))
		case kind == typeFolder && name[0] == '@' && !strings.HasPrefix(path.Base(at), "@"):
			scopes = append(scopes, join(at, string(name)))
		}
		return true
	})
	for _, link := range links {
		target, err := s.viewer.lookups.readlink(link)
		if err != nil || policy.Within(path.Clean(relativeTo(target, at)), s.grant) || len(s.found) == maxLinksOut {
			continue
		}
		if look := s.viewer.Look(link); look.Sight == Hidden && look.Folder &&
			s.viewer.Look(join(look.Real, "package.json")).Sight == Hidden {
			s.found = append(s.found, link)
		}
	}
	return scopes
}
