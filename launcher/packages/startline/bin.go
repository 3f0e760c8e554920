package startline

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// ChooseBin is the program that npm starts of a package: the one that was asked for, else any of them if all are one
// file, else the one with the package's name without its scope. bins are the programs and their files, as package.json
// has them. Of several names for one file npm takes the first in package.json; here it is the package's, else the first
// by the alphabet.
func ChooseBin(name string, bins map[string]string, asked string) (string, error) {
	files := map[string]bool{}
	good := map[string]string{}
	for bin, file := range bins {
		// npm's package npm-normalize-package-bin leads a file that points out of the package back into it.
		if file = path.Join("/", strings.ReplaceAll(file, `\`, "/")); IsBin(bin) && file != "/" {
			good[bin], files[file] = file, true
		}
	}
	all := slices.Sorted(maps.Keys(good))
	own := name[strings.LastIndex(name, "/")+1:]
	switch {
	case len(all) == 0:
		return "", errors.New(name + " has no program")
	case asked != "" && good[asked] == "":
		return "", errors.New(name + " has no program " + text.Word(asked) + ", but " + enumerated(all))
	case asked != "":
		return asked, nil
	case good[own] != "":
		return own, nil
	case len(files) == 1:
		return all[0], nil
	}
	return "", errors.New(name + " has several programs and none of its own name: " + enumerated(all))
}

// enumerated is a list for a message.
func enumerated(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

// IsBin reports whether a word can be the name of a package's program: that of a file, and nothing that leads
// elsewhere.
func IsBin(word string) bool {
	const longest = 255 // NAME_MAX
	strange := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\:`, r) }
	return word != "" && word != "." && word != ".." && word[0] != '-' && len(word) <= longest &&
		!strings.ContainsFunc(word, strange)
}
