package notice

import (
	"strings"
)

// NotGranted is a path that a profile does not grant. source is how the path was handed over: an argument, a variable.
// The flag before the path grants it; "" is none.
func NotGranted(source, path, why, flag string) string {
	text := name(source, 24) + " " + name(path, 30) + " is not granted: it " + name(why, 60)
	if flag == "" {
		return line(text)
	}
	return bracketing(text, WholeFlag(flag, path))
}

// NotGrantedIn is a path that a profile does not grant, and that is in no message. source holds the path.
func NotGrantedIn(source, why, flag string) string {
	return line("the path in ", name(source, pathWidth), " is not granted: it ", name(why, 60),
		bracketed(flag, " PATH"))
}

// NotAllowed is the host of a source, which a profile does not allow. The source's value may be a password. flag allows
// a host; "" where none does.
func NotAllowed(source, why, flag string) string {
	return line("the host of ", name(source, pathWidth), " is not allowed: ", name(why, pathWidth), bracketed(flag))
}

// bracketed is a flag in brackets behind a text; "" for no flag.
func bracketed(flag string, value ...string) string {
	if flag == "" {
		return ""
	}
	return " (" + strings.Join(append([]string{flag}, value...), "") + ")"
}

// Unflagged is a line without the flag in brackets at its end, which does not help.
func Unflagged(text string) string {
	if i := strings.LastIndex(text, " (--"); i > 0 && strings.HasSuffix(text, ")") {
		return text[:i] + ", and no flag grants it"
	}
	return text
}

// NotSet is a variable that the server needs by its profile.
func NotSet(variable, profile string) string {
	return line(name(variable, pathWidth), " is not set, which ", name(profile, pathWidth),
		" needs: set it in \"env\" of the client's entry")
}
