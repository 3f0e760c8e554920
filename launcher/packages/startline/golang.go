package startline

import (
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// readGo reads go run PACKAGE@VERSION. Without a version go runs code by the go.mod of the working folder.
func readGo(t *tool, words []string) (*Start, string) {
	remote := func(word string) bool {
		return strings.Contains(word, "@") && !strings.HasPrefix(word, "-") && !strings.ContainsAny(word[:1], "./")
	}
	switch {
	case len(words) > 0 && words[0] == "--":
		words = words[1:]
	case len(words) > 0 && strings.HasPrefix(words[0], "-"):
		if slices.ContainsFunc(words, remote) {
			return nil, t.notUnderstood(words[0])
		}
		return nil, ""
	}
	if len(words) == 0 || !remote(words[0]) {
		return nil, ""
	}
	spec, reason := goSpec(words[0])
	if reason != "" {
		return nil, reason
	}
	return &Start{Specs: []Spec{spec}, Args: slices.Clone(words[1:])}, ""
}

// goSpec reads PACKAGE[@VERSION]. The package may lie below its module.
func goSpec(word string) (Spec, string) {
	name, version, at := strings.Cut(word, "@")
	if reason := notRegistry(name); reason != "" {
		return Spec{}, reason
	}
	host, _, _ := strings.Cut(name, "/")
	switch {
	case module.CheckImportPath(name) != nil, !isLower(host), !only(host, "-."):
		return Spec{}, text.Word(name) + " is no path of a Go package"
	case !strings.Contains(host, "."):
		return Spec{}, text.Word(name) + " is no path of a Go package with a host in front"
	case len(name) > longestGo:
		return Spec{}, text.Word(name) + " is no path of a Go package: more than 255 letters"
	case strings.Contains(version, ":"):
		return Spec{}, isURL
	case at && !isGoVersion(version):
		return Spec{}, text.Word(version) + " is no version of a Go module"
	}
	return Spec{Ecosystem: "go", Name: name, Range: version}, ""
}

// longestGo bounds a path: the folder of the store is named for it.
const longestGo = 255

// isGoVersion reports whether a word can be a version, a part of one, a branch, a commit, or latest.
func isGoVersion(word string) bool {
	bare := strings.TrimPrefix(strings.TrimLeft(word, "<>"), "=")
	return only(bare, ".-_+") && isAlnum(bare[0]) && len(word) <= longestRange && word != "none"
}
