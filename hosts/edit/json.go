package edit

import (
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

func parseJSON(file []byte, strict bool) (*node, error) {
	v, err := hujson.Parse(file)
	if err != nil {
		// What the parser calls a literal may be somebody's password.
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), " literal: ")
		return nil, errors.New(message)
	}
	if strict && !v.IsStandard() {
		return nil, errors.New("a comment or a comma after the last item, which this host does not read")
	}
	return jsonNode(&v), nil
}

func jsonNode(v *hujson.Value) *node {
	n := &node{start: v.StartOffset, end: v.EndOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		n.kind = table
		for i := range x.Members {
			name := &x.Members[i].Name
			n.add(member{name: name.Value.(hujson.Literal).String(), start: name.StartOffset, last: name.StartOffset,
				stop: name.EndOffset, value: jsonNode(&x.Members[i].Value)})
		}
	case *hujson.Array:
		n.kind = list
		for i := range x.Elements {
			n.items = append(n.items, jsonNode(&x.Elements[i]))
		}
	case hujson.Literal:
		if x.Kind() == '"' {
			n.kind, n.text = text, x.String()
		}
	}
	return n
}
