package notice

import (
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// wordWidth is how much stays of a long word, so that a path is still known by both of its ends.
const wordWidth = 40

// mostLines is how many lines a text or a remedy has at most.
const mostLines = 4

// Fit is any text as printable lines of at most [Width] columns, one if possible. Of a text that is too wide the
// remedy, which stands in brackets at the end, has a line of its own, where more words stay whole.
func Fit(s string) (lines []string) {
	s = text.Printable(s)
	if at := remedyIn(s); at > 0 && utf8.RuneCountInString(s) > Width {
		return append(wrapped(s[:at]), wrapped(s[at+1:])...)
	}
	return wrapped(s)
}

// remedyIn is where the blank in front of the remedy stands: at the first bracket from which the rest fits into a line,
// or at the first of all; 0 for none.
func remedyIn(text string) (first int) {
	for at := 0; strings.HasSuffix(text, ")"); at++ {
		next := strings.Index(text[at:], " (")
		if next < 0 {
			break
		}
		if at += next; first == 0 {
			first = at
		}
		if utf8.RuneCountInString(text[at+1:]) <= Width {
			return at
		}
	}
	return first
}

// wrapped are the lines of a printable text. Where its long words cannot make it fit, it goes on in the next line.
func wrapped(s string) (lines []string) {
	s = shrunk(s)
	for utf8.RuneCountInString(s) > Width && len(lines) < mostLines-1 {
		end := len(string([]rune(s)[:Width]))
		if space := strings.LastIndexByte(s[:end], ' '); space > 0 {
			end = space
		}
		lines, s = append(lines, s[:end]), strings.TrimPrefix(s[end:], " ")
	}
	return append(lines, text.Short(s, Width, text.Ends))
}

// shrunk is a printable text that fits, with the longest words cut in their middle: they are names, and the rest is the
// instruction.
func shrunk(s string) string {
	s = text.Printable(s)
	for utf8.RuneCountInString(s) > Width {
		at, word := longest(s)
		width := utf8.RuneCountInString(word)
		if width <= wordWidth {
			break
		}
		over := utf8.RuneCountInString(s) - Width
		s = s[:at] + text.Short(word, max(width-over, wordWidth), text.Ends) + s[at+len(word):]
	}
	return s
}

// longest is the longest word of a text, and where the word begins.
func longest(text string) (at int, word string) {
	for begin := 0; begin < len(text); {
		next, _, _ := strings.Cut(text[begin:], " ")
		if utf8.RuneCountInString(next) > utf8.RuneCountInString(word) {
			at, word = begin, next
		}
		begin += len(next) + 1
	}
	return at, word
}
