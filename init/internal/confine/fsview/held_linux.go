package fsview

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/gitconfig"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
)

// A Withheld is a path that a server may have to write where it works, and may not.
type Withheld struct {
	At    string
	Offer Offer  // without a Flag there is none that helps
	Named string // without a Flag: the repository that a .git names, and that does not name that back

	Unmade bool // the folder is not there, and no grant has the server make it
}

// WithheldAt returns the protected paths of a folder in a write grant, and of the repository around: the folder itself,
// if something above is protected, and the nearest .git.
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
		if !held && !e.Find(at).Write {
			break
		}
		if !e.Find(git).Write && !opened(e, git) {
			w := withheld(e, git)
			if w.Offer.Path != git { // none, or what a link leads to
				w = Withheld{At: git, Named: namedRepository(e, git)}
			}
			all = append(all, w)
		}
		if logs := missingLogs(e, git); logs != "" {
			all = append(all, Withheld{At: logs, Unmade: true})
		}
		break
	}
	return all
}

// missingLogs is the folder of logs that a worktree's commit makes, and that a bare repository does not have: the grant
// of the worktree's .git opens only folders that exist.
func missingLogs(e *Explained, git string) string {
	f, why := offers{e.tree}.gitFile(git)
	if why != "" || !f.worktree() || e.Find(f.common.path).Write {
		return ""
	}
	logs := join(f.common.path, "logs")
	if _, is := e.tree.lookups.stat(logs); is {
		return ""
	}
	return logs
}

func withheld(e *Explained, at string) Withheld {
	o, err := OfferOf(e, at, true)
	if err != nil {
		o = Offer{}
	}
	return Withheld{At: at, Offer: o}
}

// opened reports whether a grant has opened the folder that a .git file names.
func opened(e *Explained, git string) bool {
	r, ok := e.tree.lookups.pathIn(git, dirOf(git), gitconfig.GitFile)
	return ok && (e.tree.gitdirs[r.path] || e.Find(r.path).Write)
}

// namedRepository is the repository that a .git file names, or a link .git, if a grant of that helps. Either may be a
// server's work: that the user wants to grant the folder is for the user to say.
func namedRepository(e *Explained, git string) string {
	r, ok := e.tree.lookups.pathIn(git, dirOf(git), gitconfig.GitFile)
	if !ok {
		var err error
		if r, err = e.tree.lookups.resolve(git); err != nil {
			return ""
		}
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
