package pipeline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// This file: what to write in place of a path that is missing.

// Exists reports whether there is something. Other errors than of a missing path are the launch's to name.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// shown is the path, in quotes where a blank at one of its ends would not be seen.
func (at *placedPath) shown() string {
	if strings.TrimSpace(at.path) != at.path {
		return strconv.Quote(at.path)
	}
	return at.path
}

// advice is what to write in place of a path that is missing.
func (at *placedPath) advice() string {
	if text := at.shell(); text != "" {
		return text
	}
	if trimmed := strings.TrimSpace(at.path); trimmed != at.path && Exists(trimmed) {
		return " (the blank at its end is part of the name: leave it out)"
	}
	if target, link := danglingLink(at.path); link != "" {
		return " (" + link + " is a link to " + target + ", which is not there)"
	}
	if strings.Contains(at.written, ",") {
		if at.flag == "" {
			return " (a comma is part of a name: write each path as a string of its own)"
		}
		return " (a comma is part of a name: write " + at.flag + " once for each path)"
	}
	if path, rest, ok := strings.Cut(at.path, ":"); ok && Exists(path) {
		if first, _, _ := strings.Cut(rest, ":"); filepath.IsAbs(first) && Exists(first) {
			return " (each path has a flag, or a string, of its own: write " + path + " and " + first + ")"
		}
		return " (a path has the same name inside: leave :" + rest + " out)"
	}
	return " (create it, or write - in front of the path if it may be missing)"
}

// danglingLink is the first link on the way of a path that leads to nothing, with its target.
func danglingLink(path string) (target, link string) {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if target, err := os.Readlink(at); err == nil && !Exists(at) {
			return target, at
		}
	}
	return "", ""
}

// shell explains what only a shell would have taken out of a path.
func (at *placedPath) shell() string {
	name, rest, ok := shellVariable(at.written)
	switch {
	case ok && name == "HOME":
		return " (no shell expands $HOME here: write ~" + rest + ")"
	case ok:
		return " (no shell expands $" + name + " here: write the folder itself)"
	case strings.HasPrefix(at.written, "file://"):
		return " (write the path without file://)"
	case len(at.written) > 2 && at.written[0] == '%' && strings.Contains(at.written[1:], "%"):
		return " (no shell expands % here: write the folder itself)"
	case len(at.written) > 1 && strings.ContainsRune(`"'`, rune(at.written[0])):
		return " (the quotes are part of the name here: no shell takes them away)"
	}
	return ""
}

// shellVariable finds $NAME or ${NAME} in a word, and what follows.
func shellVariable(word string) (name, rest string, ok bool) {
	_, after, ok := strings.Cut(word, "$")
	if !ok {
		return "", "", false
	}
	if inner, braces := strings.CutPrefix(after, "{"); braces {
		name, rest, ok = strings.Cut(inner, "}")
	} else {
		rest = strings.TrimLeft(after, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
		name = after[:len(after)-len(rest)]
	}
	return name, rest, ok && name != "" && strings.Trim(name, "0123456789") != ""
}
