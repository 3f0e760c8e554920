package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// A source is the text of a file.
type source struct {
	bytes  []byte
	syntax mcphosts.Syntax
}

// A splice puts text in the place of the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

var (
	errMove    = errors.New("the command is written so that it cannot be moved: with an anchor, a tag or line breaks")
	errComment = errors.New("a comment stands among the words that wrap wrote: move the comment")
	errIndent  = errors.New("the list of arguments does not begin on a line of its own")
)

// quote writes a word as JSON, TOML and YAML read it.
func quote(word string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range word {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < 0x10000 && !unicode.IsPrint(c):
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoted(words ...string) []string {
	for i, word := range words {
		words[i] = quote(word)
	}
	return words
}

// literal are the bytes of a word.
func (s source) literal(n *node) (string, error) {
	if n.end == unknown {
		return "", errMove
	}
	return string(s.bytes[n.start:n.end]), nil
}

// wrap puts the words of the launcher before a command.
func (s source) wrap(e *entry, program, policy string) ([]splice, error) {
	command, args := e.holder.get(e.command), e.holder.value("args")
	if e.list {
		one, err := s.insert(command.value, quoted(program, "run", "--policy", policy, "--"))
		return []splice{one}, err
	}
	old, err := s.literal(command.value)
	if err != nil {
		return nil, err
	}
	all := []splice{{command.value.start, command.value.end, quote(program)}}
	if args == nil {
		if e.holder.block && s.syntax == mcphosts.YAML && !s.plainKey(e.holder.get(e.command)) {
			return nil, errMove
		}
		return append(all, s.addArgs(e, append(quoted("run", "--policy="+policy, "--"), old))), nil
	}
	one, err := s.insert(args, append(quoted("run", "--policy", policy, "--"), old))
	return append(all, one), err
}

// plainKey reports whether a member of YAML is written KEY: VALUE, and not in two parts, ? KEY and : VALUE.
func (s source) plainKey(m *member) bool {
	before := string(s.bytes[lineStart(s.bytes, m.start):m.start])
	return m.stop != unknown && strings.Trim(before, "\ufeff -") == "" &&
		bytes.HasPrefix(bytes.TrimLeft(s.bytes[m.stop:m.value.start], " \t"), []byte(":"))
}

// insert puts words before the first of a list, written as that list is.
func (s source) insert(l *node, words []string) (splice, error) {
	switch {
	case l.block:
		indent := s.bytes[lineStart(s.bytes, l.start):l.start]
		if len(bytes.Trim(indent, " ")) != 0 {
			return splice{}, errIndent
		}
		between := newline(s.bytes) + string(indent)
		return splice{l.start, l.start, "- " + strings.Join(words, between+"- ") + between}, nil
	case len(l.items) == 0:
		return splice{l.start + 1, l.start + 1, strings.Join(words, ", ")}, nil
	}
	first := l.items[0].start
	between := ", "
	if lead := s.spaceBefore(first); strings.Contains(lead, "\n") {
		between = "," + lead
	} else if len(l.items) > 1 && l.items[0].end != unknown {
		if gap := s.bytes[l.items[0].end:l.items[1].start]; blank(gap, 1) {
			between = string(gap)
		}
	}
	return splice{first, first, strings.Join(words, between) + between}, nil
}

// spaceBefore is the white space before an offset, from the last line end on.
func (s source) spaceBefore(at int) string {
	start := len(bytes.TrimRight(s.bytes[:at], " \t\r\n"))
	space := string(s.bytes[start:at])
	if end := strings.LastIndexByte(space, '\n'); end > 0 && space[end-1] == '\r' {
		return space[end-1:]
	} else if end >= 0 {
		return space[end:]
	}
	return space
}

// addArgs puts a list of arguments after the command of an entry that has none, as the syntax and the file have it.
func (s source) addArgs(e *entry, words []string) splice {
	m := e.holder.get(e.command)
	at, line := m.value.end, lineStart(s.bytes, m.start)
	values := "[" + strings.Join(words, ", ") + "]"
	switch prefix := string(s.bytes[m.start:m.last]); {
	case s.syntax == mcphosts.TOML && e.holder.block:
		indent := s.bytes[line:m.start]
		if !blank(indent, 0) { // a byte order mark
			indent = nil
		}
		return splice{at, at, newline(s.bytes) + string(indent) + prefix + "args = " + values}
	case s.syntax == mcphosts.TOML:
		return splice{at, at, ", " + prefix + "args = " + values}
	case s.syntax == mcphosts.YAML && e.holder.block:
		column := len([]rune(strings.TrimPrefix(string(s.bytes[line:m.start]), "\ufeff")))
		return splice{at, at, newline(s.bytes) + strings.Repeat(" ", column) + "args: " + values}
	case s.syntax == mcphosts.YAML:
		return splice{at, at, ", args: " + values}
	}
	colon := string(s.bytes[m.stop:m.value.start])
	if strings.Trim(colon, " \t") != ":" {
		colon = ": "
	}
	return splice{at, at, "," + s.spaceBefore(m.start) + `"args"` + colon + values}
}

// apply puts splices into the file, which are in its order.
func (s source) apply(all []splice) ([]byte, error) {
	var after []byte
	at := 0
	for _, one := range all {
		if one.start < at || one.end < one.start || one.end > len(s.bytes) {
			return nil, errors.New("the parts of an entry overlap")
		}
		after = append(append(after, s.bytes[at:one.start]...), one.text...)
		at = one.end
	}
	return append(after, s.bytes[at:]...), nil
}
