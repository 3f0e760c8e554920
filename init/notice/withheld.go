package notice

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// This file: what a server that ended early may have had to write.

// ReadOnly are the grants for reading that the server's command line names: a server that was to write there failed.
func ReadOnly(o *order.Order, p *policy.Policy) (all []string) {
	home := order.Lookup(o.Env, "HOME")
	for _, grant := range p.Filesystem.AllowRead {
		short := grant
		if rest, ok := strings.CutPrefix(grant, home+"/"); ok && home != "" {
			short = "~/" + rest
		}
		named := func(word string) bool { // and not the server's own program
			return runtimes.Starter(word) == "" && (names(word, grant) || names(word, short))
		}
		if !strings.HasPrefix(grant, "-") && !slices.Contains(p.Filesystem.AllowWrite, grant) &&
			slices.ContainsFunc(o.Command[min(1, len(o.Command)):], named) {
			all = append(all, grant)
		}
	}
	return all
}

// NamesGit reports whether a word of a command is git, or has that in it.
func NamesGit(command []string) bool {
	noLetter := func(r rune) bool { return r < 'a' || r > 'z' }
	return slices.ContainsFunc(command, func(word string) bool {
		return slices.Contains(strings.FieldsFunc(word, noLetter), "git")
	})
}

// Withheld is a path that the server may have had to write, as a cause of its end. flag was tried; "" is none.
func Withheld(path, flag string) string {
	if flag == "" {
		return "writes to " + name(path, 24) + ", which no flag opens"
	}
	return "writes to " + name(path, 24) + " (" + flag + ")"
}

// Packages are those of a script that is visible where they are not.
func Packages(folder, flag string) string {
	return "packages in " + name(folder, 30) + " (" + flag + ")"
}

// Named is Withheld for what names a folder that no line may propose, for a server may have written the name.
func Named(path, folder string) string {
	return "writes to " + name(path, 24) + ", which names " + name(folder, pathWidth) +
		" (grant that only if you made it so)"
}

// NotMade is Withheld for a folder that is not there, and that the server cannot make.
func NotMade(folder string) string {
	return "the folder " + name(folder, 24) + " (" + WholeFlag("mkdir", folder) + ")"
}
