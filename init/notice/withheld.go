package notice

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// This file: paths that a server which ended early may have had to write.

// ReadOnly are the grants for reading that the server's command line names: a server that was to write there failed.
// Where a word of it names a denied path, that is the likelier cause.
func ReadOnly(o *order.Order, p *policy.Policy) (all []string) {
	if len(hiddenOf(o, p)) > 0 {
		return nil
	}
	for _, grant := range p.Filesystem.AllowRead {
		if !slices.Contains(p.Filesystem.AllowWrite, grant) && named(o, grant) {
			all = append(all, grant)
		}
	}
	return all
}

// hiddenOf are the paths that the policy hides and the server's command line names.
func hiddenOf(o *order.Order, p *policy.Policy) (all []string) {
	for _, denial := range p.Filesystem.DenyRead {
		if named(o, denial) {
			all = append(all, denial)
		}
	}
	return all
}

// named reports whether the server's command line names a path of the policy, other than as its own program.
func named(o *order.Order, at string) bool {
	home, short := order.Lookup(o.Env, "HOME"), at
	if rest, ok := strings.CutPrefix(at, home+"/"); ok && home != "" {
		short = "~/" + rest
	}
	return !strings.HasPrefix(at, "-") && slices.ContainsFunc(o.Command[min(1, len(o.Command)):],
		func(word string) bool {
			return runtimes.Starter(word) == "" && (names(word, at) || names(word, short))
		})
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

// Named is Withheld for a path that names a folder which no line may propose, for a server may have written the name.
func Named(path, folder string) string {
	return "writes to " + name(path, 24) + ", which names " + name(folder, pathWidth) +
		" (grant that only if you made it so)"
}

// NotMade is Withheld for a folder that is not there, and that the server cannot make.
func NotMade(folder string) string {
	return "the folder " + name(folder, 24) + " (" + WholeFlag("mkdir", folder) + ")"
}
