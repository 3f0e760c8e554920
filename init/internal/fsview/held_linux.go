package fsview

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview/gitconfig"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview/protected"
)

// A Withheld is a path that a server may have to write where it works, and may not.
type Withheld struct {
	At    string
	Offer Offer  // without a Flag there is none that helps
	Named string // without a Flag: the repository that a .git names, and that does not name that back
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
		if (held || e.Find(at).Write) && !e.Find(git).Write && !opened(e, git) {
			w := withheld(e, git)
			if w.Offer.Flag == "" {
				w.Named = namedRepository(e, git)
			}
			all = append(all, w)
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
	return Withheld{At: at, Offer: o}
}

// opened reports whether a grant has opened what a .git file names.
func opened(e *Explained, git string) bool {
	r, ok := e.tree.lookups.pathIn(git, dirOf(git), gitconfig.GitFile)
	return ok && (e.tree.gitdirs[r.path] || e.Find(r.path).Write)
}

// namedRepository is the repository that a .git file names, if a grant of that helps. The file may be a server's work:
// that the user wants to grant the folder is for the user to say.
func namedRepository(e *Explained, git string) string {
	r, ok := e.tree.lookups.pathIn(git, dirOf(git), gitconfig.GitFile)
	if !ok {
		return ""
	}
	for _, part := range [...]string{"HEAD", "objects", "refs"} { // gitrepository-layout(5)
		if _, is := e.tree.lookups.stat(join(r.path, part)); !is {
			return ""
		}
	}
	if _, err := OfferOf(e, r.path, true); err != nil {
		return ""
	}
	return r.path
}
