package explain

import (
	_ "embed"
	"iter"
	"path"
	"slices"
	"strings"
)

//go:embed secrets.txt
var secretTable string

// Secrets are the paths below a home where secrets lie, and the contents of each in a few words.
func Secrets() iter.Seq2[string, string] { return table(secretTable) }

// harmless reports whether a path in a folder of secrets is none: public keys, and lists of hosts.
func harmless(at string) bool {
	if path.Base(path.Dir(at)) != ".ssh" {
		return false
	}
	name := path.Base(at)
	return name == "known_hosts" || name == "config" || strings.HasSuffix(name, ".pub")
}

// SecretName reports whether a file is called as files with secrets are, wherever it lies.
func SecretName(at string) bool {
	name := strings.ToLower(path.Base(at))
	for _, end := range [...]string{".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	switch {
	case strings.HasSuffix(name, ".pub"), name == ".env.example", name == ".env.sample":
		return false
	case name == ".env", strings.HasPrefix(name, ".env."), name == "credentials.json":
		return true
	case strings.HasPrefix(name, "id_") && !strings.Contains(name, "."): // ssh-keygen(1) asks for any such name
		return true
	}
	for _, begin := range [...]string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "service-account"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// inSecretFolder reports whether a path is or lies in a folder that is called as one with secrets in a home is: a copy,
// or that of a home which is not known here.
func inSecretFolder(at string) bool {
	return hasPart(at, ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store")
}

// hasPart reports whether a path has one of the names in it.
func hasPart(at string, names ...string) bool {
	for part := range strings.SplitSeq(at, "/") {
		if slices.Contains(names, part) {
			return true
		}
	}
	return false
}
