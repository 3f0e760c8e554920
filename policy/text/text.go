// Package text shows words to people: in one line, printable, and short enough for it.
//
//	text.Quote("TOKEN=s3cret")          // "TOKEN=…" in quotes
//	text.Shell("a b")                   // 'a b'
//	text.Short(path, 40, text.End)      // …/the/end/of/a/long/path
//	text.Count(2, "server")             // 2 servers
package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable is s, or s escaped as Go does it if a terminal would do more than print it, or would print it in
// another order: control characters of one byte or two (C1), marks that turn the direction of text, and what is
// not UTF-8.
func Printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return s
	}
	s = strconv.Quote(s)
	return s[1 : len(s)-1]
}

// quoted is how many bytes of a word stand in quotes, with the backslashes of those that cannot be printed.
const quoted = 80

// Quote is Word without the value behind "=", which may be a secret.
func Quote(word string) string {
	if name, value, _ := strings.Cut(word, "="); value != "" {
		word = name + "=…"
	}
	return Word(word)
}

// Word is a word in quotes, shortened.
func Word(word string) string {
	size := 0
	for i, r := range word {
		if size += len(strconv.QuoteRune(r)) - len("''"); size > quoted {
			word = word[:i] + "…"
			break
		}
	}
	return strconv.Quote(word)
}

// Shell is a word of a command as a person types the word in a shell: quoted where the shell would read more than one
// word, or another one.
func Shell(word string) string {
	const plain = "-_./:=@%+,~^"
	special := func(r rune) bool {
		return r < utf8.RuneSelf && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') &&
			!strings.ContainsRune(plain, r)
	}
	if word != "" && word[0] != '~' && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// A Part is what stays of a text that is too long.
type Part uint8

const (
	Begin Part = iota
	End        // of a path it tells more
	Ends
)

// Short is a printable text of at most width characters.
func Short(text string, width int, keep Part) string {
	text = Printable(text)
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	all := []rune(text)
	head := [...]int{Begin: width - 1, End: 0, Ends: (width - 1) / 2}[keep]
	return string(all[:head]) + "…" + string(all[len(all)-(width-1-head):])
}

// Count is a number of things.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Lines are lines with what a terminal would act on escaped as JSON does. Outside of strings JSON has nothing of the
// kind, and stays the same JSON.
func Lines(doc string) string {
	var b strings.Builder
	for _, r := range doc {
		switch {
		case r == '\n' || r == '\t' || strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			b.WriteString(escape(0xd800+r>>10) + escape(0xdc00+r&0x3ff))
		default:
			b.WriteString(escape(r))
		}
	}
	return b.String()
}

func escape(r rune) string {
	const digits = "0123456789abcdef"
	return `\u` + string([]byte{digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}
