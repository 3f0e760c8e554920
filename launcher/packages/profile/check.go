package profile

import (
	"errors"
	"io/fs"
	"strings"
)

// Ecosystems are the words for registries, as they stand in front of a package's name.
const ecosystems = "npm pypi go"

// splitID divides "npm:@x/y" into the ecosystem and the name. A name leads to a file of that name, and so holds no
// "..".
func splitID(id string) (ecosystem, name string, ok bool) {
	ecosystem, name, ok = strings.Cut(id, ":")
	return ecosystem, name, ok && isWord(ecosystems, ecosystem) && fs.ValidPath(name) && name != "." &&
		!strings.ContainsAny(name, `\:`)
}

func isWord(words, s string) bool {
	return s != "" && !strings.Contains(s, " ") && strings.Contains(" "+words+" ", " "+s+" ")
}

func checkID(s string) error {
	if _, _, ok := splitID(s); !ok {
		return errors.New("is no package: ECOSYSTEM:NAME, with one of: " + ecosystems)
	}
	return nil
}

func checkText(s string) error {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("is empty, or holds a control character")
	}
	return nil
}

func checkVariable(s string) error {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
	if s == "" || strings.Trim(s, letters+"0123456789") != "" || !strings.Contains(letters, s[:1]) {
		return errors.New("is no name of a variable")
	}
	return nil
}

// checkVariables checks a name or PREFIX_*. Every policy forwards the short list that package policy knows; a prefix of
// fewer than three letters would belong to no server alone.
func checkVariables(s string) error {
	prefix, pattern := strings.CutSuffix(s, "_*")
	if pattern && len(prefix) < 3 {
		return errors.New("is a pattern with a prefix of fewer than three letters")
	}
	return checkVariable(prefix)
}

func checkFlag(s string) error {
	if len(s) < 2 || s[0] != '-' || strings.Trim(s, "-") == "" || strings.ContainsAny(s, "= ") {
		return errors.New(`is no flag: write it as the server takes it, "--db"`)
	}
	return nil
}

// checkGiven checks a flag or variable that can be given in place of a variable.
func checkGiven(s string) error {
	if strings.HasPrefix(s, "-") {
		return checkFlag(s)
	}
	return checkVariable(s)
}

func checkGrant(s string) error {
	if !isWord("read write host", s) {
		return errors.New("is none of: read write host")
	}
	return nil
}

func checkScheme(s string) error {
	if portOf(s) == 0 {
		return errors.New("is a scheme whose port is not known here")
	}
	return nil
}

// check is about how the keys of an argument agree.
func (a *Argument) check() error {
	switch {
	case a.Position < 0 && a.Flag == "" && a.Variable == "":
		return errors.New("must have one of position, flag and variable")
	case a.Grant == "":
		return errors.New("has no grant: read, write or host")
	case len(a.Unless) > 0 && a.Default == "":
		return errors.New("unless belongs to a default")
	case a.Rest && a.Position < 0:
		return errors.New("rest belongs to a position")
	case a.Folder && a.Grant == Host:
		return errors.New("folder belongs to a path")
	case a.Key != "" && (a.Grant != Read || a.Folder):
		return errors.New("key belongs to a file that is read")
	case a.Grant != Host && (a.Scheme != "" || a.PortFrom != ""):
		return errors.New("scheme and portFrom belong to a host")
	}
	return nil
}
