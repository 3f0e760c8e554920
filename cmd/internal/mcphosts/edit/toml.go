package edit

import (
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func parseTOML(file []byte) (*node, error) {
	var all map[string]any
	if err := toml.Unmarshal(file, &all); err != nil { // finds keys that are there twice, which the other does not
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("line %d, column %d", line, column)
		}
		return nil, errors.New("a value that does not fit its type")
	}
	root := &node{kind: table, end: len(file), block: true}
	at := root
	p := unstable.Parser{}
	p.Reset(file)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			at = tableOf(root, keys(e), false)
		case unstable.ArrayTable:
			at = tableOf(root, keys(e), true)
		case unstable.KeyValue:
			addTOML(file, at, e)
		}
	}
	return root, p.Error()
}

// keys are the parts of a key.
func keys(e *unstable.Node) []unstable.Node {
	var all []unstable.Node
	for it := e.Key(); it.Next(); {
		all = append(all, *it.Node())
	}
	return all
}

// tableOf is the table of a key, which is made where it is not there; the last of a list of tables counts for the key.
func tableOf(n *node, parts []unstable.Node, another bool) *node {
	for i, part := range parts {
		start := int(part.Raw.Offset)
		add := func(kind kind) *node {
			v := &node{kind: kind, start: start, end: unknown, block: n.block}
			stop := start + int(part.Raw.Length)
			n.add(member{name: string(part.Data), start: start, last: start, stop: stop, value: v})
			return v
		}
		next := n.value(string(part.Data))
		switch grow := another && i == len(parts)-1; {
		case next == nil && grow:
			next = add(list)
			fallthrough
		case grow:
			next.items = append(next.items, &node{kind: table, start: start, end: unknown, block: true})
		case next == nil:
			next = add(table)
		}
		if next.kind == list && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		n = next
	}
	return n
}

// addTOML adds what KEY = VALUE says.
func addTOML(file []byte, n *node, e *unstable.Node) {
	parts := keys(e)
	last := parts[len(parts)-1]
	stop := int(last.Raw.Offset + last.Raw.Length)
	start := stop
	for c := file[start]; c == ' ' || c == '\t' || c == '='; c = file[start] {
		start++
	}
	at := tableOf(n, parts[:len(parts)-1], false)
	at.add(member{name: string(last.Data), start: int(e.Raw.Offset), last: int(last.Raw.Offset), stop: stop,
		value: tomlValue(file, e.Value(), start, int(e.Raw.Offset+e.Raw.Length))})
}

// tomlValue has the bytes from start to end; an item of a list says itself where it lies, unless it is a list or table.
func tomlValue(file []byte, v *unstable.Node, start, end int) *node {
	n := &node{start: start, end: end}
	switch v.Kind {
	case unstable.String:
		n.kind, n.text = text, string(v.Data)
	case unstable.Array:
		n.kind = list
		for it := v.Children(); it.Next(); {
			item := it.Node()
			start, end := int(item.Raw.Offset), int(item.Raw.Offset+item.Raw.Length)
			if item.Kind == unstable.Array || item.Kind == unstable.InlineTable {
				end = unknown
			}
			n.items = append(n.items, tomlValue(file, item, start, end))
		}
	case unstable.InlineTable:
		n.kind = table
		for it := v.Children(); it.Next(); {
			addTOML(file, n, it.Node())
		}
	}
	return n
}
