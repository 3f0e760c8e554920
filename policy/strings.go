package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Umask is octal digits, or "".
type Umask string

// Value is the mask, and whether one is named.
func (u Umask) Value() (mask int, named bool) {
	n, err := strconv.ParseUint(string(u), 8, 9)
	return int(n), err == nil
}

func checkUmask(s string) error {
	if len(s) < 3 || len(s) > 4 || !digits(s) {
		return invalid(s, `is no umask: write three or four octal digits such as "0077"`)
	}
	if _, ok := Umask(s).Value(); !ok {
		return invalid(s, "is not between 0000 and 0777 in octal digits")
	}
	return nil
}

// longestState is how many bytes a state's name has at most.
const longestState = 64

// CheckState checks the name of a state, which is that of a folder and no path.
func CheckState(s string) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const first = letters + "0123456789"
	switch {
	case s == "":
		return textError("is empty")
	case len(s) > longestState:
		return invalid(s[:longestState]+"…", "is no name of a state: it is longer than 64 characters")
	case strings.IndexByte(first, s[0]) < 0 || strings.Trim(s, first+"._-") != "":
		return invalid(s, "is no name of a state: letters, digits, '.', '_' and '-', the first a letter or a digit")
	}
	return nil
}

// noID is the number that means "no change" to setresuid(2).
const noID = 1<<32 - 1

func checkUser(s string) error {
	uid, gid, ok := strings.Cut(s, ":")
	if !ok && digits(s) && s != "0" {
		return invalid(s, `is no user: the group's number follows, as in "`+s+":"+s+`"`)
	}
	if !ok {
		return invalid(s, `is no user: write "uid:gid" in numbers`)
	}
	for _, id := range [...]string{uid, gid} {
		n, err := strconv.ParseUint(id, 10, 32)
		switch {
		case !digits(id) || err != nil || n == noID || len(id) > 1 && id[0] == '0':
			return invalid(s, `is no user: write "uid:gid" in numbers`)
		case n == 0:
			return invalid(s, "names id 0, which no server gets")
		}
	}
	return nil
}

// checkCall checks the form of a system call's name. Whether there is such a call the filter's table knows.
func checkCall(s string) error {
	switch {
	case s == "":
		return textError("is empty")
	case digits(s[:1]), strings.Trim(s, "_abcdefghijklmnopqrstuvwxyz0123456789") != "":
		return invalid(s, "is no name of a system call")
	}
	return nil
}

// checkName checks the name of a variable. Windows has names with parentheses; no system has names with spaces.
func checkName(s string) error {
	if s == "" {
		return textError("a name is empty")
	}
	if name, _, value := strings.Cut(s, "="); value { // what follows may be a secret
		return invalid(name+"=", "and what follows is no name of a variable: NAME=VALUE goes into env")
	}
	for _, c := range s {
		switch {
		case c == '*':
			return invalid(s, "is no name of a variable, and no pattern stands here")
		case c == ' ' && !strings.Contains(strings.Trim(s, " "), " "):
			return invalid(s, "is no name of a variable: no blank stands around =")
		case c <= ' ' || c == 0x7f:
			return invalid(s, "is no name of a variable")
		}
	}
	return checkText(s)
}

// anyName ends a pattern of envVars: every name that begins with what stands in front of the star.
const anyName = "_*"

// checkForwarded checks a name, or a pattern such as "NOTION_*". A star behind anything else would stand for variables
// of which nobody thought.
func checkForwarded(s string) error {
	if prefix, pattern := strings.CutSuffix(s, anyName); pattern && prefix != "" {
		return checkName(prefix)
	}
	if strings.IndexByte(s, '*') >= 0 && strings.IndexByte(s, '=') < 0 {
		return invalid(s, `is no pattern: one star, at the end and behind "_", as in NOTION_*`)
	}
	return checkName(s)
}

// checkValue checks a variable's value, which may be a secret: the error has nothing of it.
func checkValue(s string) error {
	if checkText(s) != nil {
		return textError("the value holds a NUL or is not UTF-8")
	}
	return nil
}

// checkText checks what a C string and a document can both hold.
func checkText(s string) error {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return invalid(s, "holds a NUL")
	case !utf8.ValidString(s):
		return invalid(s, "is not UTF-8")
	}
	return nil
}
