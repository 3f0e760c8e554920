package startline

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Spec is a package by its name in a registry, and which of its versions are meant.
type Spec struct {
	Ecosystem string // npm, pypi or go: the registry of the name
	Name      string // as the registry has it: @scope/name, example.com/module/cmd/program
	Range     string // as the ecosystem writes one: ^1.2, ==1.0, v1.2.3, or a tag as latest; "" for whichever version
}

// ParseSpec reads the form in which a package is named to mcp-sandbox: npm:NAME[@RANGE],
// pypi:NAME[==VERSION] or pypi:NAME@VERSION, go:PACKAGE[@VERSION].
func ParseSpec(text string) (Spec, error) {
	ecosystem, word, found := strings.Cut(text, ":")
	var spec Spec
	var reason string
	switch {
	case found && ecosystem == "npm":
		spec, reason = npmSpec(word)
	case found && ecosystem == "jsr":
		reason = "packages of jsr are not installed by mcp-sandbox"
	case found && ecosystem == "pypi":
		spec, reason = uvSpec(word)
	case found && ecosystem == "go":
		spec, reason = goSpec(word)
	default:
		reason = "a package is named npm:NAME, pypi:NAME or go:PACKAGE"
	}
	if reason != "" {
		return Spec{}, &SpecError{Text: text, Reason: reason}
	}
	return spec, nil
}

// Start is the start of the package, by the package manager that installs its ecosystem where no line names one.
func (s Spec) Start() *Start {
	return &Start{Manager: s.Ecosystem, Tool: s.Ecosystem, Program: s.Ecosystem, Specs: []Spec{s}}
}

// A SpecError says why a text names no package. Reason is a clause for a person.
type SpecError struct{ Text, Reason string }

// Error is the text, quoted and cut at 60 bytes, and the reason.
func (e *SpecError) Error() string { return text.Word(e.Text) + ": " + e.Reason }

// String is the form that ParseSpec reads.
func (s Spec) String() string {
	text := s.Ecosystem + ":" + s.Name
	if s.Range != "" && !strings.ContainsRune("=<>!~", rune(s.Range[0])) || s.Range != "" && s.Ecosystem != "pypi" {
		text += "@"
	}
	return text + s.Range
}

// Exact reports whether the range is one version. A tag is a range: its version changes.
func (s Spec) Exact() bool {
	switch s.Ecosystem {
	case "npm":
		return isSemver(s.Range)
	case "pypi":
		return strings.HasPrefix(s.Range, "==") && !strings.ContainsAny(s.Range, "*,")
	case "go":
		version, isGo := strings.CutPrefix(s.Range, "v")
		return isGo && isSemver(version)
	}
	return false
}

// isSemver reports whether a word is a version as semver.org has it: 1.2.3, 1.2.3-rc.1, 1.2.3+build.
func isSemver(word string) bool {
	word, build, hasBuild := strings.Cut(word, "+")
	word, pre, hasPre := strings.Cut(word, "-")
	numbers := strings.Split(word, ".")
	if len(numbers) != 3 || hasBuild && !areIdentifiers(build, true) || hasPre && !areIdentifiers(pre, false) {
		return false
	}
	for _, n := range numbers {
		if !isNumber(n) {
			return false
		}
	}
	return true
}

func areIdentifiers(list string, zeros bool) bool {
	for word := range strings.SplitSeq(list, ".") {
		if !only(word, "-") || !zeros && strings.Trim(word, "0123456789") == "" && !isNumber(word) {
			return false
		}
	}
	return true
}

// Why a word is no name in a registry. URLs are not repeated: they may hold a password.
const (
	isURL    = "a URL or a repository is no name in a registry"
	isAlias  = "an alias is no name in a registry"
	isFile   = "a file or a folder is no name in a registry"
	isGitHub = "a repository at GitHub is no name in a registry"
	nothing  = "a name is missing"
)

// notRegistry says why a word names a package that comes from no registry; "" if it may be one of a registry.
func notRegistry(word string) string {
	switch {
	case word == "":
		return nothing
	case strings.HasPrefix(word, "npm:"):
		return isAlias
	case strings.HasPrefix(word, "file:"), strings.HasPrefix(word, "link:"), strings.ContainsAny(word[:1], `./~\`):
		return isFile
	case strings.Contains(word, ":"):
		return isURL
	case word[0] == '-':
		return text.Word(word) + " begins like a flag"
	case strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }):
		return text.Word(word) + " has characters that no name in a registry has"
	}
	return ""
}

// isArchive reports whether npm takes a word for the name of an archive.
func isArchive(word string) bool {
	word = strings.ToLower(word)
	return strings.HasSuffix(word, ".tgz") || strings.HasSuffix(word, ".tar.gz") || strings.HasSuffix(word, ".tar")
}
