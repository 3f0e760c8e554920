package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// folderOf is the folder of a name below the store: npm/@scope/name; of a name with other slashes go/example.com,tool.
func folderOf(manager, name string) (string, error) {
	if !isWord(manager) {
		return "", errors.New(strconv.Quote(manager) + " is no package manager's name")
	}
	scope, rest, scoped := strings.Cut(name, "/")
	if !scoped || !strings.HasPrefix(scope, "@") {
		scope, rest = "", name
	}
	rest = strings.ReplaceAll(rest, "/", ",")
	if !isName(rest) || strings.Contains(name, ",") || scope != "" && !isName(scope[1:]) {
		return "", errors.New(strconv.Quote(name) + " is no name that the store can keep")
	}
	if scope != "" {
		rest = scope + "/" + rest
	}
	return manager + "/" + rest, nil
}

// isWord is true for a-z alone.
func isWord(s string) bool {
	return s != "" && len(s) <= 32 && !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// isName is true for a word that is a file's name everywhere and no hidden one. A comma stands for a slash.
func isName(s string) bool {
	return s != "" && len(s) <= 240 && s[0] != '.' && s[0] != '@' && s[0] != ',' && !strings.HasSuffix(s, ".") &&
		!strings.Contains(s, ",,") && !strings.HasSuffix(s, ",") && !strings.Contains(s, ",.") && isPlain(s)
}

// isPlain is true for letters, digits and some signs, of ASCII.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		return !isLetter && (r < '0' || r > '9') && !strings.ContainsRune("-._~+!,", r)
	})
}

// isVersion is true for versions of npm, PyPI and Go.
func isVersion(s string) bool {
	return s != "" && len(s) <= 160 && s[0] != '.' && s[0] != '-' && !strings.ContainsAny(s, ",~") && isPlain(s)
}

const hashDigits = 12 // of the lock file's sum, in a folder's name

// isVersionFolder reports whether a name is that of a package's folder.
func isVersionFolder(s string) bool {
	i := strings.LastIndexByte(s, '-')
	return i > 0 && isVersion(s[:i]) && len(s)-i-1 == hashDigits && !strings.ContainsFunc(s[i+1:], func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'f')
	})
}

// idOf is the name of a record about something.
func idOf(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// wordsOf are specs as they are written.
func wordsOf(specs []startline.Spec) []string {
	words := make([]string, len(specs))
	for i := range specs {
		words[i] = specs[i].String()
	}
	return words
}

// names are the folders of the specs' names, sorted, each once.
func (w *Wanted) names() ([]string, error) {
	specs := w.Specs
	if len(specs) == 0 || len(specs) > 100 {
		return nil, errors.New("1 to 100 packages can be installed at once, and not " + strconv.Itoa(len(specs)))
	}
	var folders []string
	for _, s := range specs {
		f, err := folderOf(w.Manager, s.Name)
		if err != nil {
			return nil, err
		}
		if !isWord(s.Ecosystem) {
			return nil, errors.New(strconv.Quote(s.Ecosystem) + " is no kind of package")
		}
		folders = append(folders, f)
	}
	slices.Sort(folders)
	return slices.Compact(folders), nil
}
