package shim

import (
	"path"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/notice"
)

// This file: paths that a server which uses git does not get, as causes of an early end.

// heldCauses are about the folder in which the server works: where it starts, or the first that its words name. Only
// paths that answer without waiting are looked at. told is whether a line at start names paths that the server does not
// see.
func (g *guide) heldCauses(v *fsview.Viewer, told bool) (causes []string) {
	at := g.sandbox.View.Cwd
	for _, folder := range append([]string{at}, notice.Arguments(g.order.Command[1:], at)...) {
		if v.Sees(folder) != fsview.Seen {
			continue
		}
		for _, w := range fsview.WithheldAt(g.offers.files, folder) {
			short := w.At
			if path.Base(short) == ".git" {
				if !g.usesGit() || slices.Contains(g.policy.Filesystem.AllowWrite, w.Offer.Path) {
					continue
				}
				short = ".git"
			}
			switch {
			case w.Unmade && g.usesGit():
				causes = append(causes, notice.NotMade(w.At))
			case w.Named != "":
				causes = append(causes, notice.Named(short, w.Named))
			case !w.Unmade:
				causes = append(causes, notice.Withheld(short, notice.WholeFlag(w.Offer.Flag, w.Offer.Path)))
			}
		}
		if len(causes) > 0 {
			break
		}
	}
	causes = append(causes, packages(g, v)...)
	if told || len(causes) > 0 {
		return causes
	}
	return g.readFolder(v)
}

// packageOf is the folder to grant for a script in a folder.
func packageOf(v *fsview.Viewer, folder string) string {
	return notice.PackageOf(folder, v.Home, func(at string) bool {
		look := v.Look(at)
		return look.Sight != fsview.Unknown && look.Missing == 0
	})
}

// packages are those of the server's script, where the script is visible and they are not.
func packages(g *guide, v *fsview.Viewer) []string {
	if len(g.order.Command) < 2 {
		return nil
	}
	at := path.Clean(g.order.Command[1])
	if !path.IsAbs(at) {
		at = path.Join(g.sandbox.View.Cwd, at)
	}
	look := v.Look(at)
	if look.Sight != fsview.Seen || !notice.IsScript(g.order.Command, at) {
		return nil
	}
	folder := packageOf(v, path.Dir(look.Real))
	at = folder + "/node_modules"
	if v.Sees(at) != fsview.Hidden {
		return nil
	}
	if v.Broad(folder) { // the home, say
		folder = at
	}
	o := g.offers.offer(folder)
	if o.Flag == "" {
		return nil
	}
	return []string{notice.Packages(at, o.typed())}
}

// readFolder is the folder in which the server starts, if that is granted for reading and nothing better is known.
func (g *guide) readFolder(v *fsview.Viewer) []string {
	spot := g.offers.files.Find(g.sandbox.View.Cwd)
	if len(notice.ReadOnly(g.order, g.policy)) > 0 || !spot.Host() || spot.Write ||
		spot.Reading.Kind != fsview.ByRule || v.Broad(spot.Path) {
		return nil
	}
	o := g.offers.writeOffer(spot.Path)
	if o.Flag == "" {
		return nil
	}
	return []string{notice.Withheld("the working folder", o.flag())}
}

// gitSettings are the user's settings of git, of a server that runs git and does not see these.
func (g *guide) gitSettings(v *fsview.Viewer) []string {
	if v.Home == "" || !g.usesGit() {
		return nil
	}
	for _, name := range []string{".gitconfig", ".config/git/config"} {
		at := v.Home + "/" + name
		if v.Sees(at) != fsview.Hidden {
			continue
		}
		if o := g.offers.offer(at); o.Flag != "" {
			flag := o.Flag + " ~/" + name
			if o.Path != at { // where its links lead
				flag = o.flag()
			}
			return []string{"~/" + name + " (" + flag + ")"}
		}
	}
	return nil
}

// usesGit reports whether a word of the command is git, or has that in it, or a .git is granted.
func (g *guide) usesGit() bool {
	isGit := func(at string) bool { return path.Base(at) == ".git" }
	return slices.ContainsFunc(g.policy.Filesystem.AllowWrite, isGit) || notice.NamesGit(g.order.Command)
}

// mostAsked is how many repositories the plan is asked about.
const mostAsked = 32

// readOnly are the grants for reading that a line would name, and that cannot be granted for writing.
func (g *guide) readOnly() (all []string) {
	for _, at := range notice.ReadOnly(g.order, g.policy) {
		if o := g.offers.writeOffer(at); o.Flag == "" {
			all = append(all, at)
		}
	}
	return all
}
