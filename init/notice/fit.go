package notice

import (
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// wordWidth is how much stays of a long word, so that a path is still known by both of its ends.
const wordWidth = 40

// mostLines is how many lines a text or a remedy has at most.
const mostLines = 4

// Fit is any text as printable lines of at most [Width] columns, one if possible. Of a text that is too wide the
// remedy, which stands in brackets at the end, has a line of its own, where more words stay whole.
func Fit(text string) (lines []string) {
	text = strictjson.Printable(text)
	if at := remedyIn(text); at > 0 && utf8.RuneCountInString(text) > Width {
		return append(wrapped(text[:at]), wrapped(text[at+1:])...)
	}
	return wrapped(text)
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
func wrapped(text string) (lines []string) {
	text = shrunk(text)
	for utf8.RuneCountInString(text) > Width && len(lines) < mostLines-1 {
		end := len(string([]rune(text)[:Width]))
		if space := strings.LastIndexByte(text[:end], ' '); space > 0 {
			end = space
		}
		lines, text = append(lines, text[:end]), strings.TrimPrefix(text[end:], " ")
	}
	return append(lines, middle(text, Width))
}

// shrunk is a printable text whose longest words lose their middle until the text fits: they are names, and the rest
// says what to do.
func shrunk(text string) string {
	text = strictjson.Printable(text)
	for utf8.RuneCountInString(text) > Width {
		at, word := longest(text)
		width := utf8.RuneCountInString(word)
		if width <= wordWidth {
			break
		}
		over := utf8.RuneCountInString(text) - Width
		text = text[:at] + middle(word, max(width-over, wordWidth)) + text[at+len(word):]
	}
	return text
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

// middle is a text without its middle.
func middle(text string, width int) string {
	all := []rune(text)
	if len(all) <= width {
		return text
	}
	head := (width - 1) / 2
	return string(all[:head]) + "…" + string(all[len(all)-(width-1-head):])
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
