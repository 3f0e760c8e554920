package startline

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// npmSpec reads NAME[@RANGE] of npm's registry by npm's rules for new names: package npm-package-arg, and
// validate-npm-package-name. Older names with capital letters are not read: two of them can be one folder.
func npmSpec(word string) (Spec, string) {
	name, wanted := word, ""
	if i := strings.Index(word, "@"); i > 0 {
		name, wanted = word[:i], word[i+1:]
	} else if i := strings.Index(strings.TrimPrefix(word, "@"), "@"); i >= 0 && word[0] == '@' {
		name, wanted = word[:i+1], word[i+2:]
	}
	if reason := notRegistry(name); reason != "" {
		return Spec{}, reason
	}
	if name[0] != '@' && isArchive(name) {
		return Spec{}, isFile
	}
	if reason := npmName(name); reason != "" {
		return Spec{}, reason
	}
	wanted, reason := npmRange(wanted)
	return Spec{Ecosystem: "npm", Name: name, Range: wanted}, reason
}

// longestNPM is the most letters of a name that npm publishes.
const longestNPM = 214

// npmName says why a name is none of npm's; "" if it is.
func npmName(name string) string {
	scope, plain, scoped := strings.Cut(name, "/")
	switch {
	case name[0] != '@' && scoped && strings.Count(name, "/") == 1 && only(name, "/-_."):
		return isGitHub
	case name[0] != '@' && scoped:
		return isFile
	case name[0] != '@':
		scope, plain = "@x", name
	case !scoped, scope == "@", plain == "":
		return text.Word(name) + " is no name of npm: a scope is written @SCOPE/NAME"
	}
	switch scope = scope[1:]; {
	case len(name) > longestNPM:
		return text.Word(name) + " is no name of npm: more than 214 letters"
	case !isLower(name):
		return text.Word(name) + " is no name of npm: capital letters"
	case !only(scope, "-_.") || !only(plain, "-_."):
		return text.Word(name) + " is no name of npm: letters, digits and -._ alone"
	case strings.ContainsAny(scope[:1], ".-") || strings.ContainsAny(plain[:1], ".-") || name[0] == '_':
		return text.Word(name) + " is no name of npm: what it begins with"
	case name == "node_modules" || name == "favicon.ico":
		return text.Word(name) + " is no name of npm: reserved"
	}
	return ""
}

// longestRange is more than any range that was ever written.
const longestRange = 256

// npmRange reads the range behind a name's "@". A version is one way of writing only: 1.2.3 of "v1.2.3" and
// "=1.2.3+build", since npm's registry has one package of them.
func npmRange(word string) (wanted, reason string) {
	word = strings.TrimSpace(word)
	version := strings.TrimLeft(word, "v= ")
	if bare, _, _ := strings.Cut(version, "+"); isSemver(version) {
		return bare, ""
	}
	lower := strings.ToLower(word)
	switch {
	case word == "":
		return "", ""
	case strings.HasPrefix(lower, "npm:"):
		return "", isAlias
	case strings.Contains(word, "://") && !strings.HasPrefix(lower, "file:"): // whatever its last name looks like
		return "", isURL
	case strings.HasPrefix(lower, "file:"), isArchive(word), strings.ContainsAny(word[:1], `./\`),
		strings.HasPrefix(word, "~/"):
		return "", isFile
	case strings.Contains(word, ":"):
		return "", isURL
	case strings.Contains(word, "/"):
		return "", isGitHub
	case len(word) > longestRange, word[0] == '-', !only(word, " .-_+*^~<>=|"):
		return "", text.Word(word) + " is neither a version, nor a range, nor a tag"
	}
	return word, ""
}
