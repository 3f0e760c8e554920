package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func parseYAML(file []byte) (*node, error) {
	if loneReturn(file) || bytes.ContainsAny(file, "\u0085\u2028\u2029") {
		return nil, errEnds
	}
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) { // comments alone
		return &node{kind: table, block: true}, nil
	} else if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(strings.TrimPrefix(first, "yaml: "))
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("several documents in one file")
	}
	y := reader{file: file, shared: map[*yaml.Node]bool{}}
	y.findShared(document.Content[0])
	for at, c := range file {
		if c == '\n' {
			y.lines = append(y.lines, at+1)
		}
	}
	root := y.node(document.Content[0])
	return root, y.err
}

// A reader finds the bytes of a node by its line and column.
type reader struct {
	file  []byte
	lines []int // where each line but the first begins
	last  struct{ line, column, offset int }
	err   error

	shared map[*yaml.Node]bool // values that an alias repeats in another place
}

// Why a value of YAML is no entry's own.
var (
	errShared = errors.New("an alias of YAML (*NAME) repeats the entry, or a part of it, in another place")
	errAlias  = errors.New("an alias of YAML (*NAME) stands there: write the settings out")
	errMerged = errors.New("the entry takes settings from another place (<<): write the settings out")
	errName   = errors.New("the name is no text: put quotation marks around the name")
)

func (y *reader) findShared(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		y.shared[n.Alias] = true
		return
	}
	for _, inner := range n.Content {
		y.findShared(inner)
	}
}

// offset counts columns in characters, as the parser does.
func (y *reader) offset(n *yaml.Node) int {
	at, column := 0, 1
	if n.Line == y.last.line && n.Column >= y.last.column {
		at, column = y.last.offset, y.last.column
	} else if n.Line > 1 && n.Line-2 < len(y.lines) {
		at = y.lines[n.Line-2]
	}
	for ; column < n.Column; column++ {
		_, size := utf8.DecodeRune(y.file[at:])
		at += size
	}
	y.last.line, y.last.column, y.last.offset = n.Line, n.Column, at
	return at
}

func (y *reader) node(from *yaml.Node) *node {
	n := &node{start: y.offset(from), end: unknown}
	n.block = from.Style&yaml.FlowStyle == 0
	if y.shared[from] {
		n.bound = errShared
	}
	switch from.Kind {
	case yaml.AliasNode:
		n.bound = errAlias
	case yaml.MappingNode:
		n.kind = table
		for i := 0; i+1 < len(from.Content); i += 2 {
			key, name := y.node(from.Content[i]), from.Content[i].Value
			m := member{name: name, start: key.start, last: key.start, stop: key.end, value: y.node(from.Content[i+1])}
			switch tag := from.Content[i].Tag; {
			case from.Content[i].Kind == yaml.AliasNode:
				n.bound = errAlias
			case tag == "!!str":
			case tag == "!!merge":
				n.bound = errMerged
			default:
				m.value.bound = errName
			}
			if !n.add(m) && y.err == nil {
				y.err = fmt.Errorf("line %d: a key that is there twice", from.Content[i].Line)
			}
		}
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range from.Content {
			n.items = append(n.items, y.node(item))
		}
		if n.end = y.listEnd(n); from.Anchor != "" || from.Style&yaml.TaggedStyle != 0 {
			n.end, n.bound = unknown, errMove
		}
	case yaml.ScalarNode:
		if from.Tag == "!!str" {
			n.kind, n.text = text, from.Value
		}
		n.end = y.scalarEnd(n.start, from)
	}
	return n
}

// scalarEnd is known for what stands on one line, without a tag or an anchor.
func (y *reader) scalarEnd(start int, from *yaml.Node) int {
	rest := y.file[start:]
	if from.Anchor != "" || len(rest) == 0 {
		return unknown
	}
	switch from.Style {
	case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
		quote := rest[0]
		for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
			switch {
			case quote == '"' && rest[i] == '\\', quote == '\'' && bytes.HasPrefix(rest[i:], []byte("''")):
				i++
			case rest[i] == quote:
				return start + i + 1
			}
		}
	case 0:
		if from.Value != "" && bytes.HasPrefix(rest, []byte(from.Value)) {
			return start + len(from.Value)
		}
	}
	return unknown
}

// listEnd is the end of the last item, and for a list in brackets the bracket's, if there is nothing but white space
// and a comma between.
func (y *reader) listEnd(n *node) int {
	at := n.start
	if !n.block {
		at++
	}
	if len(n.items) > 0 {
		at = n.items[len(n.items)-1].end
	}
	if n.block || at == unknown {
		return at
	}
	for ; at < len(y.file); at++ {
		switch c := y.file[at]; {
		case c == ']':
			return at + 1
		case !blank([]byte{c}, 1):
			return unknown
		}
	}
	return unknown
}
