package notice

import "strings"

// ReferenceIn is the form of a value that names another value, which a client, a shell or a manager of secrets should
// have put in its place; "" for a value that is none. The name inside is not part of the form.
func ReferenceIn(value string) string {
	if value == "~" || strings.HasPrefix(value, "~/") {
		return "~/..."
	}
	for _, p := range [...]struct{ begin, end string }{
		{"${", "}"}, {"$(", ")"}, {"{{", "}}"}, {"{env:", "}"}, {"{file:", "}"}, {"<", ">"},
	} {
		inner, begins := strings.CutPrefix(value, p.begin)
		if inner, ends := strings.CutSuffix(inner, p.end); begins && ends && inner != "" && (p.begin != "<" ||
			isWord(inner, "_- ")) {
			return p.begin + "..." + p.end
		}
	}
	if form := inPath(value); form != "" {
		return form
	}
	scheme, rest, ok := strings.Cut(value, "://")
	switch {
	case ok && strings.Contains(managers, " "+scheme+" "), strings.HasPrefix(scheme, "ref+"):
		return scheme + "://..."
	case ok && strings.Contains(rest, "${") && strings.Contains(rest, "}"):
		return "${...}"
	}
	return ""
}

// inPath is the form of a variable that a path begins with, or that is all of a value; "" for none.
func inPath(value string) string {
	first := value
	if i := strings.IndexAny(value, `/\`); i >= 0 {
		first = value[:i]
	}
	if name, ok := strings.CutPrefix(first, "$"); ok && isVariable(name) {
		return "$..."
	}
	if name, ok := strings.CutPrefix(first, "%"); ok && strings.HasSuffix(name, "%") && isVariable(name[:len(name)-1]) {
		return "%...%"
	}
	if first == "" || strings.HasSuffix(first, ":") || first != value && strings.HasPrefix(first, "${") {
		_, name, _ := strings.Cut(value, "${")
		if name, _, ends := strings.Cut(name, "}"); ends && name != "" && isWord(name, "_-.:") {
			return "${...}"
		}
	}
	return ""
}

// managers are the schemes of references to secrets: of 1Password, Proton Pass, Bitwarden, KeePass, LastPass, Dashlane,
// Doppler, Infisical, Akeyless, HashiCorp's Vault, those of clouds, and keyrings.
const managers = " op pass bw bws keepassxc keeper lpass dl doppler infisical akeyless vault awssm aws-sm awssecret " +
	"aws-ssm gcpsm gcp-sm azurekv azurekeyvault akv keychain keyring secret secrets secretref sops conjur "

// isVariable reports whether a word is the name of a variable as most are called, and no password that begins with the
// sign of one.
func isVariable(word string) bool {
	return len(word) > 1 && strings.ToUpper(word) == word && !strings.ContainsAny(word[:1], "0123456789") &&
		isWord(word, "_")
}

// isWord reports whether a text has letters, digits and these others alone.
func isWord(text, others string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r)
	})
}
