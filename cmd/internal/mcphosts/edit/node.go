package edit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

type kind uint8

const (
	other kind = iota // a number, a truth value, null, a date
	text
	list
	table
)

// unknown is the end of what the parser gives no end for, and what therefore is not moved: a YAML block of text, say.
const unknown = -1

// A node is a value of a file, with the bytes from start to end.
type node struct {
	kind       kind
	start, end int
	text       string
	items      []*node  // of a list
	members    []member // of a table
	block      bool     // told by indentation in YAML; a table of TOML that is no inline table
	index      map[string]int
	twice      bool  // some name is there twice
	bound      error // of YAML: what a change of the value would change besides, or what the value takes from elsewhere
}

// A member is one of a table.
type member struct {
	name        string
	start, stop int // of the key; in TOML start is that of the whole dotted key
	last        int // the start of the key's last part
	value       *node
}

// add reports whether there was no such member before. The first of two counts. A name that opencode fills in, with
// what a file or a variable holds, may become that of any other; below __proto__ a host in JavaScript finds members of
// any name.
func (n *node) add(m member) bool {
	if n.index == nil {
		n.index = map[string]int{}
	}
	_, again := n.index[m.name]
	if !again {
		n.index[m.name] = len(n.members)
	}
	n.members = append(n.members, m)
	n.twice = n.twice || again || isFilled(m.name) || m.name == prototype
	return !again
}

const prototype = "__proto__"

// isFilled reports whether opencode puts something else into a text.
func isFilled(text string) bool {
	return strings.Contains(text, "{file:") || strings.Contains(text, "{env:")
}

// get is nil if there is no such member.
func (n *node) get(name string) *member {
	if n == nil {
		return nil
	}
	if i, found := n.index[name]; found {
		return &n.members[i]
	}
	return nil
}

// value is nil if there is no such member.
func (n *node) value(name string) *node {
	if m := n.get(name); m != nil {
		return m.value
	}
	return nil
}

// all are the values of the members that have one of these names, for a host that does not tell cases apart too.
func (n *node) all(names []string) (values []*node) {
	for i := range n.members {
		m := &n.members[i]
		same := func(name string) bool { return strings.EqualFold(name, m.name) }
		if m.value != nil && slices.ContainsFunc(names, same) {
			values = append(values, m.value)
		}
	}
	return values
}

// texts are the items of a list; false: some item is no text, or the node is no list.
func (n *node) texts() ([]string, bool) {
	if n == nil || n.kind != list {
		return nil, false
	}
	words := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if item.kind != text {
			return nil, false
		}
		words = append(words, item.text)
	}
	return words, true
}

// shift moves every offset. No node is in the tree twice.
func (n *node) shift(by int) {
	if by == 0 {
		return
	}
	n.start += by
	if n.end != unknown {
		n.end += by
	}
	for _, item := range n.items {
		item.shift(by)
	}
	for i := range n.members {
		m := &n.members[i]
		m.start, m.last = m.start+by, m.last+by
		if m.stop != unknown {
			m.stop += by
		}
		m.value.shift(by)
	}
}

// blank reports whether there is nothing but white space, and at most so many commas.
func blank(b []byte, commas int) bool {
	return bytes.Count(b, []byte(",")) <= commas && len(bytes.Trim(b, " \t\r\n,")) == 0
}

var errEnds = errors.New("line ends of several kinds")

// loneReturn reports whether some CR is no part of CR LF: for some parsers a line ends there, and a comment with it.
func loneReturn(file []byte) bool {
	return bytes.Count(file, []byte("\r")) != bytes.Count(file, []byte("\r\n"))
}

// newline is that of a file.
func newline(file []byte) string {
	if at := bytes.IndexByte(file, '\n'); at > 0 && file[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineStart is where the line of an offset begins.
func lineStart(file []byte, at int) int { return bytes.LastIndexByte(file[:at], '\n') + 1 }
