package notice

import (
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// This file: flags that lines propose. One that was cut cannot be typed: such a flag is whole, or none is proposed.

// The texts in place of a flag that cannot be shown whole.
const (
	tooLong = "no flag, for the name is too long for a line"
	unshown = "no flag, for the name has characters that no line shows"
)

// Offer is a flag that grants a path, as a person types both in a shell; "" for no flag. A path that is wider than
// width is too long.
func Offer(flag, path string, width int) string {
	if flag == "" {
		return ""
	}
	return typed(flag+" "+text.Shell(path), width+len(flag)+1)
}

// typed is a flag with its value as a person types both, or why no line of a width has that.
func typed(flag string, width int) string {
	switch {
	case text.Printable(flag) != flag:
		return unshown
	case utf8.RuneCountInString(flag) > width:
		return tooLong
	}
	return flag
}

// WholeFlag is Offer for a flag that may have a line of its own, in brackets.
func WholeFlag(flag, path string) string { return Offer(flag, path, Width-len("( )")-len(flag)) }

// whole is a flag with its value, if that fits into a line of its own, in brackets.
func whole(flag string) string { return typed(flag, Width-len("()")) }

// also is a flag with more behind it, if there is a flag and room.
func also(flag, more string) string {
	if !strings.HasPrefix(flag, "--") || utf8.RuneCountInString(flag+more) > Width-len("()") {
		return flag
	}
	return flag + more
}

// proposing is a text with a remedy. Where both are too wide for a line, [Fit] gives the remedy one.
func proposing(text, remedy string) string { return fitting(text, ": ", remedy, "") }

// bracketing is proposing with the remedy in brackets.
func bracketing(text, remedy string) string { return fitting(text, " (", remedy, ")") }

// fitting is proposing with the marks before and after the remedy.
func fitting(s, before, remedy, after string) string {
	one := text.Printable(s) + before + remedy + after
	if remedy == "" || utf8.RuneCountInString(one) <= Width {
		return one
	}
	return line(s) + " (" + remedy + ")"
}
