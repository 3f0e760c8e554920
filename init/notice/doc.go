// Package notice has the lines that a launch writes to standard error for people, but for refusals and their hints, and
// the words in which mcp-sandbox why names an act that a server was refused, and the reason.
//
//	say(notice.Variables([]string{"NOTION_TOKEN"}))
//
// A line names the event, its object, and the command or flag to type. A line has at most [Width] columns, control
// characters in names are escaped, and the value of a variable is in no line. Nothing here makes a system call.
package notice

import (
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Width is how wide a line is at most: 200 columns with the program's name in front.
const Width = 200 - len("mcp-sandbox: ")

// line joins parts to a line that is no wider than a line may be.
func line(parts ...string) string {
	return text.Short(shrunk(strings.Join(parts, "")), Width, text.Ends)
}

// name is a path or a word for the middle of a line. Of a long one the end is kept, which tells more.
func name(word string, width int) string { return text.Short(word, width, text.End) }

// listed is how much of a word stands in a list.
const listed = 64

// list are the first words that fit into a width, and how many more there are.
func list(words []string, between string, width int) string {
	var b strings.Builder
	for i, word := range words {
		if word = name(word, listed); i > 0 {
			word = between + word
		}
		if i > 0 && utf8.RuneCountInString(b.String())+utf8.RuneCountInString(word) > width {
			return b.String() + more(len(words)-i)
		}
		b.WriteString(word)
	}
	return b.String()
}
