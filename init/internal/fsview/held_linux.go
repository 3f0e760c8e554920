package fsview

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview/gitconfig"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview/protected"
)

// A Withheld is a path that a server may have to write where it works, and may not.
type Withheld struct {
	At    string
	Offer Offer // without a Flag there is none that helps
}

// WithheldAt is what is protected of a folder in a write grant, and of the repository around: the folder itself, if
// something above is protected, and the nearest .git.
func WithheldAt(e *Explained, folder string) (all []Withheld) {
	spot := e.Find(folder)
	if !spot.Host() {
		return nil
	}
	held := !spot.Write && spot.Writing.Kind == ByProtected && !protected.InRepository(spot.Writing.At)
	if held {
		all = append(all, withheld(e, spot.Path))
	}
	for at := spot.Path; at != "/"; at = dirOf(at) {
		git := join(at, ".git")
		if _, is := e.tree.lookups.stat(git); !is {
			continue
		}
		if (held || e.Find(at).Write) && !e.Find(git).Write && !opened(e.tree, git) {
			all = append(all, withheld(e, git))
		}
		break
	}
	return all
}

func withheld(e *Explained, at string) Withheld {
	o, err := OfferOf(e, at, true)
	if err != nil {
		o = Offer{}
	}
	return Withheld{at, o}
}

// opened reports whether a grant has opened what a .git file names.
func opened(t *tree, git string) bool {
	r, ok := t.lookups.pathIn(git, dirOf(git), gitconfig.GitFile)
	return ok && t.gitdirs[r.path]
}
