package startline

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// uvSpec reads a package as uvx takes it: NAME, NAME@VERSION, NAME@latest, or as pip writes it NAME==VERSION.
func uvSpec(word string) (Spec, string) {
	name, version, at := strings.Cut(word, "@")
	if !at {
		spec, reason := pipxSpec(word)
		if reason == "" && isPython(spec.Name) {
			return Spec{}, spec.Name + " is an interpreter for uv, and no package"
		}
		return spec, reason
	}
	spec, reason := pipxSpec(name)
	version = strings.TrimSpace(version)
	switch {
	case reason != "":
		return Spec{}, reason
	case name != strings.TrimSpace(name), strings.ContainsAny(version, "/:"):
		return Spec{}, isURL
	case spec.Range != "":
		return Spec{}, text.Word(word) + " has two versions"
	case isPython(spec.Name):
		return Spec{}, spec.Name + " is an interpreter for uv, and no package"
	case version == "latest":
		spec.Range = version
	case !isPyVersion(version):
		return Spec{}, text.Word(version) + " is no version"
	default:
		spec.Range = "==" + version
	}
	return spec, ""
}

// isPython reports whether uvx takes a name for a request of that interpreter.
func isPython(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	return name == "python" || name == "cpython" || name == "pypy" || name == "graalpy" || name == "pyodide"
}

// pipxSpec reads NAME, NAME==VERSION or another list of clauses, as packaging.python.org has them.
func pipxSpec(word string) (Spec, string) {
	if reason := notRegistry(word); reason != "" {
		return Spec{}, reason
	}
	end := strings.IndexAny(word, " =<>!~[;@(/")
	name, rest := word, ""
	if end >= 0 {
		name, rest = word[:end], strings.TrimSpace(word[end:])
	}
	switch {
	case rest != "" && rest[0] == '[':
		return Spec{}, "extras in brackets are not understood"
	case rest != "" && rest[0] == '/':
		return Spec{}, isFile
	case rest != "" && rest[0] == '@':
		return Spec{}, isURL
	case strings.HasSuffix(name, ".whl"), strings.HasSuffix(name, ".py"), strings.HasSuffix(name, ".zip"),
		isArchive(name):
		return Spec{}, isFile
	case len(name) > longestNPM:
		return Spec{}, text.Word(name) + " is no name of PyPI: more than 214 letters"
	case !only(name, "-_.") || !isAlnum(name[0]) || !isAlnum(name[len(name)-1]):
		return Spec{}, text.Word(name) + " is no name of PyPI: letters, digits and -._ between them alone"
	}
	wanted, reason := pyRange(rest)
	return Spec{Ecosystem: "pypi", Name: pyName(name), Range: wanted}, reason
}

// pyName is the one form of a name, by PEP 503.
func pyName(name string) string {
	name = strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(name))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return name
}

// pyRange reads clauses as >=1,<2 and takes the blanks out.
func pyRange(s string) (wanted, reason string) {
	s = strings.ReplaceAll(s, " ", "")
	if s == "" {
		return "", ""
	}
	for clause := range strings.SplitSeq(s, ",") {
		version := strings.TrimLeft(clause, "=<>!~")
		switch operator := clause[:len(clause)-len(version)]; {
		case !has("== != <= >= < > ~=", operator),
			!isPyVersion(strings.TrimSuffix(version, ".*")),
			strings.HasSuffix(version, ".*") && operator != "==" && operator != "!=":
			return "", text.Word(s) + " is no range of versions"
		}
	}
	if len(s) > longestRange {
		return "", text.Word(s) + " is no range of versions: more than 256 letters"
	}
	return s, ""
}

// isPyVersion reports whether a word can be a version of PEP 440: 1, 1.2.3rc1, 1!2.0, 1.0.post1, 1.0+local.
func isPyVersion(word string) bool {
	word = strings.TrimPrefix(word, "v")
	return only(word, ".!+-_") && isDigit(word[0]) && isAlnum(word[len(word)-1]) && len(word) <= longestRange
}
